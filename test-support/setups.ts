import type { Image } from './servers/images.ts'

/** The servers that a portal may use instead of its embedded stores. */
export const servers = ['eventstore', 'mongodb', 'redis', 's3', 'smtp'] as const
export type StoreServer = (typeof servers)[number]

/** Tests in other set-ups, each a project of vitest with variables of its own. */
export interface Setup {
  readonly name: string
  readonly include: string[]
  readonly exclude?: string[]
  readonly env: Record<string, string>
  readonly globalSetup?: string[]
}

/** A relay of the tests is in front of separate services, and these are about the connections of one process. */
const aboutConnections = ['services/framework/http/connections.test.ts']

const httpTests = ['services/{*/*/server,identity/authentication,query,framework/http}/**/*.test.ts']

/** `npm run test:setups`: the HTTP tests, in each set-up that a firm may choose. */
export const firmSetups: readonly Setup[] = [
  overHttp('all embedded, one process', [], 'together'),
  overHttp('all on servers, two of each service', servers, 'apart'),
  overHttp('log, sessions and mail queue on servers, two of each service', ['eventstore', 'redis'], 'apart'),
  overHttp('views, keys, files and mail on servers, one process', ['mongodb', 's3', 'smtp'], 'together'),
]

/**
 * `npm run test:containers`: the tests of the adapters and of the whole program, against the images of the compose
 * file, then against others.
 */
export const imageSetups: readonly Setup[] = [
  ...onImages(
    'EventStoreDB, MongoDB alone, Redis, versitygw, Mailpit',
    ['eventstore', 'mongodb', 'redis', 'versitygw', 'mailpit'],
    [
      'infra/event-store/eventstoredb-event-store.test.ts',
      'infra/{read-model-store,key-store}/mongodb*.test.ts',
      'infra/{redis,session-store,rate-limit}/redis*.test.ts',
      'infra/{outbox/bullmq,file-store/s3,mail-transport/smtp}*.test.ts',
      'services/system-tests/{setups,redis-away}.test.ts',
    ],
  ),
  // Without its faults: a client of a replica set bypasses the relay and uses the address that the set reports.
  ...onImages(
    'EventStoreDB, MongoDB as a replica set, Redis, MinIO',
    ['eventstore', 'mongodb-replica-set', 'redis', 'minio'],
    [
      'infra/{read-model-store/mongodb-read-model-store,key-store/mongodb*,file-store/s3*}.test.ts',
      'services/system-tests/setups.test.ts',
    ],
  ),
]

function overHttp(name: string, stores: readonly StoreServer[], services: 'together' | 'apart'): Setup {
  return {
    name,
    include: httpTests,
    exclude: services === 'apart' ? aboutConnections : [],
    env: { PROOFDESK_TEST_STORES: stores.join(','), PROOFDESK_TEST_SERVICES: services },
  }
}

function onImages(name: string, images: readonly Image[], include: string[]): Setup[] {
  // Not the log: each portal needs its own, and the double is enough for these tests.
  const http = overHttp(`${name}: over HTTP`, ['mongodb', 'redis', 's3'], 'apart')
  const adapters: Setup = { name: `${name}: the adapters`, include, env: {} }
  const env = { PROOFDESK_TEST_CONTAINERS: images.join(',') }
  return [adapters, http].map((setup) => ({
    ...setup,
    env: { ...setup.env, ...env },
    globalSetup: ['./test-support/servers/needs-docker.ts'],
  }))
}
