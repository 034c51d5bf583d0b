/**
 * The real images that can replace the servers of the tests. PROOFDESK_TEST_CONTAINERS, which `npm run test:containers`
 * sets, names those to use, separated by commas.
 */
export const images = {
  eventstore: 'eventstore/eventstore:24.10',
  mongodb: 'mongo:8',
  'mongodb-replica-set': 'mongo:8',
  redis: 'redis:8-alpine',
  minio: 'minio/minio:RELEASE.2025-09-07T16-13-09Z',
  versitygw: 'versity/versitygw:v1.7.0',
  mailpit: 'axllent/mailpit:v1.27',
} as const
export type Image = keyof typeof images

const isImage = (name: string): name is Image => Object.hasOwn(images, name)

/** The images that these tests use. */
export const wantedImages = namesIn('PROOFDESK_TEST_CONTAINERS', Object.keys(images).filter(isImage))

/** Whether these tests use one of these images. */
export function isWanted(...some: readonly Image[]): boolean {
  return some.some((image) => wantedImages.includes(image))
}

/** The names in a variable of the environment, separated by commas. @throws {Error} for an unknown one. */
export function namesIn<const Name extends string>(
  variable: string,
  known: readonly Name[],
  value = process.env[variable] ?? '',
): Name[] {
  return value.split(',').flatMap((name) => {
    const found = known.find((one) => one === name)
    if (name !== '' && !found) throw new Error(`${variable}: ${name} is none of ${known.join(', ')}`)
    return found ?? []
  })
}
