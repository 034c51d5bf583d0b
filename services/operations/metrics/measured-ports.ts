import { type EventBatch, type EventStore, WrongRevision } from '#infra/event-store/event-store.ts'
import { Unavailable } from '#infra/failures.ts'
import { type Outbox, PermanentMailFailure } from '#infra/outbox/outbox.ts'
import type { ReadModelStore } from '#infra/read-model-store/read-model-store.ts'
import type { Meters } from './meters.ts'

/** Decorators that measure ports without changing their behaviour. */

/** Times appends; counts conflicts, batch sizes and broken subscriptions. */
export function withEventStoreMetrics(
  store: EventStore,
  { appendSeconds, appendConflicts, batchEvents, drops }: Meters,
): EventStore {
  async function* watched(batches: AsyncIterable<EventBatch>): AsyncIterable<EventBatch> {
    try {
      for await (const batch of batches) {
        if (batch.events.length > 0) batchEvents.observe(batch.events.length)
        yield batch
      }
    } catch (error) {
      if (error instanceof Unavailable) drops.inc()
      throw error
    }
  }

  return {
    ...store,
    async append(stream, expected, events) {
      const stop = appendSeconds.startTimer()
      try {
        const appended = await store.append(stream, expected, events)
        stop({ outcome: 'appended' })
        return appended
      } catch (error) {
        if (error instanceof WrongRevision) appendConflicts.inc()
        stop({
          outcome:
            error instanceof WrongRevision ? 'conflict' : error instanceof Unavailable ? 'unavailable' : 'refused',
        })
        throw error
      }
    },
    subscribe: (checkpoint, options) => watched(store.subscribe(checkpoint, options)),
  }
}

/** Counts the documents of each write. */
export function withReadModelStoreMetrics(store: ReadModelStore, { writtenDocuments }: Meters): ReadModelStore {
  return {
    ...store,
    documents: {
      ...store.documents,
      write(collection, writes, checkpoint) {
        if (writes.length > 0) writtenDocuments.observe(writes.length)
        return store.documents.write(collection, writes, checkpoint)
      },
    },
  }
}

/** Counts attempts to send by outcome. */
export function withOutboxMetrics(queue: Outbox, { mails }: Meters): Outbox {
  return {
    ...queue,
    work(send, options) {
      return queue.work(async (job) => {
        try {
          await send(job)
          mails.inc({ outcome: 'handed over' })
        } catch (error) {
          mails.inc({ outcome: error instanceof PermanentMailFailure ? 'refused for good' : 'to be tried again' })
          throw error
        }
      }, options)
    },
  }
}
