import { newEventStore } from '../testing/event-store.ts'
import { eventStoreContract } from './contract.ts'
import { toCheckpoint } from './event-store.ts'
import { openEventStoreDb } from './eventstoredb.ts'

const prefixes = ['account-', 'user-']

eventStoreContract('event store in EventStoreDB', async () => {
  const server = await newEventStore()
  const open = () => openEventStoreDb(server.url, { prefixes })
  return {
    store: open(),
    reopen: async () => open(),
    checkpointBeyondEnd: toCheckpoint('1000000000/1000000000'),
    remove: () => server.close(),
  }
})
