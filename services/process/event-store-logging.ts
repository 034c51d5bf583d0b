import type { Logger } from 'pino'
import type { EventStore } from '#infra/event-store/event-store.ts'
import { correlationOf } from '#services/event-sourcing/codec/metadata.ts'

/** Logs a broken subscription to the event log. It reconnects automatically. */
export function logSubscriptionDrop(log: Logger, error: unknown): void {
  log.warn({ err: error }, 'The subscription to the event log broke and will be resumed')
}

/**
 * Logs each appended event at debug level with its correlation ids, so that a request can be followed through the
 * services.
 */
export function withAppendLogging(store: EventStore, log: Logger): EventStore {
  if (!log.isLevelEnabled('debug')) return store
  return {
    ...store,
    async append(stream, expected, events) {
      const appended = await store.append(stream, expected, events)
      for (const event of events)
        log.debug(
          { stream, type: event.type, id: event.id, position: appended.position, ...correlationOf(event) },
          'recorded',
        )
      return appended
    },
  }
}
