import { servers, type StoreServer } from './portal-stores.ts'
import { httpTests, runTests } from './vitest-run.ts'

/** `npm run test:setups` runs the HTTP tests once in each set-up that a firm may choose. Arguments go to vitest. */
const setups: readonly (readonly [name: string, stores: readonly StoreServer[], services: 'together' | 'apart'])[] = [
  ['all embedded, one process', [], 'together'],
  ['all on servers, two of each service', servers, 'apart'],
  ['log, sessions and mail queue on servers, two of each service', ['eventstore', 'redis'], 'apart'],
  ['views, keys, files and mail on servers, one process', ['mongodb', 's3', 'smtp'], 'together'],
]

const given = process.argv.slice(2)
const files = given.some((argument) => !argument.startsWith('-')) ? [] : httpTests
const runs = setups.map(([name, stores, services]) => ({
  name,
  files,
  environment: { PROOFDESK_TEST_STORES: stores.join(','), PROOFDESK_TEST_SERVICES: services },
}))
await runTests(runs, given)
