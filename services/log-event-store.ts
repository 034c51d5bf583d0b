import type { Logger } from 'pino'
import type { EventStore } from '../infra/event-store/event-store.ts'
import { trailOf } from './journal/metadata.ts'

/** Tells of each event that was recorded, with the ids of the request that led to it: for whoever follows one through the services. */
export function toldEventStore(store: EventStore, log: Logger): EventStore {
  if (!log.isLevelEnabled('debug')) return store
  return {
    ...store,
    async append(stream, expected, events) {
      const appended = await store.append(stream, expected, events)
      for (const event of events) log.debug({ stream, type: event.type, id: event.id, position: appended.position, ...trailOf(event) }, 'recorded')
      return appended
    },
  }
}
