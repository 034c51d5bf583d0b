import { servers, type StoreServer } from './portal-stores.ts'
import { runTests } from './vitest-run.ts'

/** `npm run test:setups` runs the HTTP tests once in each set-up that a firm may choose. Arguments go to vitest. */

interface Setup {
  readonly name: string
  readonly stores: readonly StoreServer[]
  readonly services: 'together' | 'apart'
}

const setups: readonly Setup[] = [
  { name: 'all embedded, one process', stores: [], services: 'together' },
  { name: 'all on servers, two of each service', stores: servers, services: 'apart' },
  { name: 'log, sessions and mail queue on servers, two of each service', stores: ['eventstore', 'redis'], services: 'apart' },
  { name: 'views, keys, files and mail on servers, one process', stores: ['mongodb', 's3', 'smtp'], services: 'together' },
]

const given = process.argv.slice(2)
const files = given.some((argument) => !argument.startsWith('-')) ? [] : ['services/command', 'services/query', 'services/http']

const closing: string[] = []
for (const { name, stores, services } of setups) {
  process.stdout.write(`\n${name}\n\n`)
  const environment = { PROOFDESK_TEST_STORES: stores.join(','), PROOFDESK_TEST_SERVICES: services }
  const { summary, succeeded } = await runTests([...files, ...given], environment)
  closing.push(`${name}: ${summary ?? 'the tests did not finish'}`)
  if (!succeeded) process.exitCode = 1
}
process.stdout.write(`\n${closing.join('\n')}\n`)
