import type { Logger } from 'pino'
import type { EventStore } from '../infra/event-store/event-store.ts'
import { correlationOf } from './event-sourcing/codec/metadata.ts'

/** Tells that a subscription to the event log broke: it comes back by itself, so nobody needs to do anything. */
export function logSubscriptionDrop(log: Logger, error: unknown): void {
  log.warn({ err: error }, 'The subscription to the event log broke and will be resumed')
}

/** Tells of each event that was recorded, with the ids of the request that led to it: for whoever follows one through the services. */
export function withAppendLogging(store: EventStore, log: Logger): EventStore {
  if (!log.isLevelEnabled('debug')) return store
  return {
    ...store,
    async append(stream, expected, events) {
      const appended = await store.append(stream, expected, events)
      for (const event of events) log.debug({ stream, type: event.type, id: event.id, position: appended.position, ...correlationOf(event) }, 'recorded')
      return appended
    },
  }
}
