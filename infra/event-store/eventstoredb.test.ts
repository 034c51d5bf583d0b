import { startDouble } from './double/double.ts'
import { eventStoreContract } from './contract.ts'
import { toCheckpoint } from './event-store.ts'
import { openEventStoreDb } from './eventstoredb.ts'

const prefixes = ['account-', 'user-']

eventStoreContract('event store in EventStoreDB', async () => {
  const double = await startDouble()
  const open = () => openEventStoreDb(double.url, { prefixes })
  return {
    store: open(),
    reopen: async () => open(),
    checkpointBeyondEnd: toCheckpoint('1000000000/1000000000'),
    remove: () => double.close(),
  }
})
