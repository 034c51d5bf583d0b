import { type Image, whyNoContainers } from './servers/images.ts'
import type { StoreServer } from './portal-stores.ts'
import { runTests } from './vitest-run.ts'

/** `npm run test:containers` runs the tests of all servers against the real images. Arguments go to vitest. */

interface Variation {
  readonly name: string
  readonly images: readonly Image[]
  /** Tests of the adapters and of the whole program. */
  readonly files: readonly string[]
  /** The stores on servers in the HTTP tests that follow. */
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
    // Not the log: each portal needs its own, and the double is enough for these tests.
    stores: ['mongodb', 'redis', 's3'],
  },
  {
    // Without its faults: a client of a replica set bypasses the relay and uses the address that the set reports.
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
    closing.push(`${name}: ${run.what}: ${summary ?? 'the tests did not finish'}`)
    if (!succeeded) process.exitCode = 1
  }
}
process.stdout.write(`\n${closing.join('\n')}\n`)
