import type { ReadModelStore } from '#infra/read-model-store/read-model-store.ts'
import type { RecordedEvent } from '#services/event-sourcing/codec/event-codec.ts'
import { systemContext, type Context } from '#services/event-sourcing/codec/metadata.ts'
import type { Log } from '#services/event-sourcing/process-log.ts'
import { readableEvents } from './dead-letter.ts'
import type { Consumer } from './log-subscription.ts'

export interface WorkConsumerDependencies {
  readonly store: Pick<ReadModelStore, 'checkpoints' | 'deadLetters'>
  readonly log: Log
}

/**
 * A consumer for work that takes up to a minute: it follows the log on its own, so policies and read models do not wait
 * for it. A worker that dies leaves it to the next, which begins at the same event.
 *
 * @param types The events that ask for work.
 */
export function createWorkConsumer(
  name: string,
  types: readonly string[],
  { store, log }: WorkConsumerDependencies,
  work: (event: RecordedEvent, context: Context) => Promise<void>,
): Consumer {
  return {
    name,

    async start() {
      const saved = await store.checkpoints.load(name)
      return { checkpoint: saved?.checkpoint, position: saved?.position }
    },

    async apply({ events, checkpoint, position }) {
      const requests = events.filter(({ stored }) => types.includes(stored.type))
      for (const event of await readableEvents(name, requests, store.deadLetters, log)) {
        const { requestId, correlationId } = event.metadata
        await work(event, { ...systemContext('worker', requestId, event.id), correlationId })
      }
      if (events.length > 0) await store.checkpoints.save({ consumer: name, checkpoint, position })
    },
  }
}
