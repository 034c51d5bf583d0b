import { messageOf } from '#infra/failures.ts'
import type { StoredEvent } from '#infra/event-store/event-store.ts'
import type { DeadLetter, DeadLetterStore } from '#infra/read-model-store/read-model-store.ts'
import { type RecordedEvent, UnreadableEvent } from '#services/event-sourcing/codec/event-codec.ts'
import { correlationOf } from '#services/event-sourcing/codec/metadata.ts'
import type { Log } from '#services/event-sourcing/process-log.ts'
import type { BatchEvent } from './batch-event.ts'

/** The note of an event that a consumer could not use. */
export function deadLetterOf(
  consumer: string,
  { stream, revision, position, type }: Pick<StoredEvent, 'stream' | 'revision' | 'position' | 'type'>,
  error: unknown,
): DeadLetter {
  const message = messageOf(error)
  return { consumer, stream, revision, position, type, error: message.slice(0, 500) }
}

/** The events of a batch, decoded. Those that cannot be read become dead letters of the consumer and block nothing. */
export async function readableEvents(
  consumer: string,
  events: readonly BatchEvent[],
  deadLetters: Pick<DeadLetterStore, 'add'>,
  log: Pick<Log, 'error'>,
): Promise<RecordedEvent[]> {
  const readable: RecordedEvent[] = []
  for (const event of events) {
    try {
      readable.push(event.decode())
    } catch (error) {
      if (!(error instanceof UnreadableEvent)) throw error
      const { stream, revision } = event.stored
      log.error(
        { consumer, stream, revision, ...correlationOf(event.stored), err: error },
        'An event became a dead letter',
      )
      await deadLetters.add(deadLetterOf(consumer, event.stored, error))
    }
  }
  return readable
}
