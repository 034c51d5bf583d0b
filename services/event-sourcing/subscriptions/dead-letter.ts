import type { StoredEvent } from '../../../infra/event-store/event-store.ts'
import type { DeadLetter } from '../../../infra/read-model-store/read-model-store.ts'
/** The note of an event that a consumer could not use. */
export function deadLetterOf(
  consumer: string,
  { stream, revision, position, type }: Pick<StoredEvent, 'stream' | 'revision' | 'position' | 'type'>,
  error: unknown,
): DeadLetter {
  const message = error instanceof Error ? error.message : String(error)
  return { consumer, stream, revision, position, type, error: message.slice(0, 500) }
}
