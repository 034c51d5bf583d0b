/**
 * The real images that can replace the servers of the tests. PROOFDESK_TEST_CONTAINERS, which `npm run test:containers` sets,
 * names those to use, separated by commas.
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

/** The images in a value of the variable. @throws {Error} for an unknown name. */
export function imagesIn(variable = ''): readonly Image[] {
  return namesIn('PROOFDESK_TEST_CONTAINERS', variable, Object.keys(images).filter(isImage))
}

const isImage = (name: string): name is Image => Object.hasOwn(images, name)

/** The images that these tests use. */
export const wantedImages = imagesIn(process.env['PROOFDESK_TEST_CONTAINERS'])

/** Whether these tests use one of these images. */
export function isWanted(...some: readonly Image[]): boolean {
  return some.some((image) => wantedImages.includes(image))
}

/** testcontainers needs a newer Node.js than we do. */
const NODE = { major: 22, minor: 22 }

/** Why containers cannot run here, undefined if they can. */
export async function whyNoContainers(): Promise<string | undefined> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major < NODE.major || (major === NODE.major && minor < NODE.minor))
    return `Containers need Node.js ${NODE.major}.${NODE.minor} or later, this is ${process.versions.node}.`
  const { getContainerRuntimeClient } = await import('testcontainers')
  try {
    await getContainerRuntimeClient()
    return undefined
  } catch (error) {
    return `Docker is not available: ${error instanceof Error ? error.message : String(error)}`
  }
}

/** The names in a variable, separated by commas. @throws {Error} for an unknown one. */
export function namesIn<const Name extends string>(variable: string, value: string, known: readonly Name[]): Name[] {
  return value.split(',').flatMap((name) => {
    const found = known.find((one) => one === name)
    if (name !== '' && !found) throw new Error(`${variable}: ${name} is none of ${known.join(', ')}`)
    return found ?? []
  })
}
