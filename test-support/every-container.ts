import { type Image, whyNoContainers } from './servers/images.ts'
import { httpTests, runTests } from './vitest-run.ts'

/** `npm run test:containers` runs the tests of all servers against the real images. Arguments go to vitest. */

interface Variation {
  readonly name: string
  readonly images: readonly Image[]
  /** Tests of the adapters and of the whole program. */
  readonly files: readonly string[]
}

const variations: readonly Variation[] = [
  {
    name: 'EventStoreDB, MongoDB alone, Redis, MinIO, Mailpit',
    images: ['eventstore', 'mongodb', 'redis', 'minio', 'mailpit'],
    files: [
      ...['infra/event-store/eventstoredb-event-store.test.ts', 'infra/read-model-store/mongodb', 'infra/key-store/mongodb', 'infra/redis'],
      ...['infra/outbox/bullmq', 'infra/session-store/redis', 'infra/rate-limit/redis', 'infra/file-store/s3', 'infra/mail-transport/smtp'],
      ...['services/system-tests/setups', 'services/system-tests/redis-away'],
    ],
  },
  {
    // Without its faults: a client of a replica set bypasses the relay and uses the address that the set reports.
    name: 'EventStoreDB, MongoDB as a replica set, Redis, versitygw',
    images: ['eventstore', 'mongodb-replica-set', 'redis', 'versitygw'],
    files: ['infra/read-model-store/mongodb-read-model-store', 'infra/key-store/mongodb', 'infra/file-store/s3', 'services/system-tests/setups'],
  },
]
// Not the log: each portal needs its own, and the double is enough for these tests.
const overHttp = { PROOFDESK_TEST_STORES: 'mongodb,redis,s3', PROOFDESK_TEST_SERVICES: 'apart' }

const missing = await whyNoContainers()
if (missing !== undefined) {
  process.stderr.write(`${missing}\nThese tests start the real images of EventStoreDB, MongoDB, Redis, S3 servers and Mailpit. Nothing was tested.\n`)
  process.exit(1)
}

const runs = variations.flatMap(({ name, images, files }) => {
  const environment = { PROOFDESK_TEST_CONTAINERS: images.join(',') }
  return [
    { name: `${name}: the adapters`, files, environment },
    { name: `${name}: over HTTP`, files: httpTests, environment: { ...environment, ...overHttp } },
  ]
})
await runTests(runs, process.argv.slice(2))
