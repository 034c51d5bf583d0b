import { newEventStore } from '#test-support/servers/event-store.ts'
import { eventStoreConformance } from './event-store.conformance.ts'
import { toCheckpoint } from './event-store.ts'
import { openEventStoreDb } from './eventstoredb-event-store.ts'

const prefixes = ['account-', 'user-']

eventStoreConformance('event store in EventStoreDB', async () => {
  const server = await newEventStore()
  return {
    open: () => openEventStoreDb(server.url, { prefixes }),
    checkpointBeyondEnd: toCheckpoint('1000000000/1000000000'),
    remove: () => server.close(),
  }
})
