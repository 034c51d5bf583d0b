import { type Image, whyNoContainers } from './servers/images.ts'
import type { StoreServer } from './portal-stores.ts'
import { runTests } from './vitest-run.ts'

/** `npm run test:containers`: the tests of what runs on servers against the real images, one variation after the other; arguments go to vitest. */

interface Variation {
  readonly name: string
  readonly images: readonly Image[]
  /** The tests of adapters and of the whole on these. */
  readonly files: readonly string[]
  /** Then the HTTP tests, with these stores on servers. */
  readonly stores: readonly StoreServer[]
}

const variations: readonly Variation[] = [
  {
    name: 'EventStoreDB, MongoDB alone, Redis, MinIO, Mailpit',
    images: ['eventstore', 'mongodb', 'redis', 'minio', 'mailpit'],
    files: [
      ...[
        'infra/event-store/eventstoredb-event-store.test.ts',
        'infra/read-model-store/mongodb',
        'infra/key-store/mongodb',
        'infra/redis',
        'infra/outbox/bullmq',
      ],
      ...[
        'infra/session-store/redis',
        'infra/rate-limit/redis',
        'infra/file-store/s3',
        'infra/mail-transport/smtp',
        'services/system-tests/setups',
        'services/system-tests/redis-away',
      ],
    ],
    // Not the log: each of the many portals has one of its own, and the double is enough for what HTTP shows of it.
    stores: ['mongodb', 'redis', 's3'],
  },
  {
    // Not its faults: a client of a replica set goes past the relay that plays them, to the address that the set tells.
    name: 'EventStoreDB, MongoDB as a replica set, Redis, versitygw',
    images: ['eventstore', 'mongodb-replica-set', 'redis', 'versitygw'],
    files: ['infra/read-model-store/mongodb.test.ts', 'infra/key-store/mongodb', 'infra/file-store/s3', 'services/system-tests/setups'],
    stores: ['mongodb', 'redis', 's3'],
  },
]

const missing = await whyNoContainers()
if (missing !== undefined) {
  process.stderr.write(`${missing}\nThese tests start the real images of EventStoreDB, MongoDB, Redis, S3 servers and Mailpit. Nothing was tested.\n`)
  process.exit(1)
}

const given = process.argv.slice(2)
const closing: string[] = []
for (const { name, images, files, stores } of variations) {
  const PROOFDESK_TEST_CONTAINERS = images.join(',')
  const http = ['services/command', 'services/query', 'services/http']
  const runs = [
    { what: 'the adapters', files, environment: { PROOFDESK_TEST_CONTAINERS } },
    { what: 'over HTTP', files: http, environment: { PROOFDESK_TEST_CONTAINERS, PROOFDESK_TEST_STORES: stores.join(','), PROOFDESK_TEST_SERVICES: 'apart' } },
  ]
  for (const run of runs) {
    process.stdout.write(`\n${name}: ${run.what}\n\n`)
    const { summary, succeeded } = await runTests([...run.files, ...given], run.environment)
    closing.push(`${name}: ${run.what}: ${summary ?? 'the tests did not come to their end'}`)
    if (!succeeded) process.exitCode = 1
  }
}
process.stdout.write(`\n${closing.join('\n')}\n`)
