import type { Position } from '#infra/event-store/event-store.ts'

/** Events that a consumer could not apply. */
export interface DeadLetterStore {
  /** The same event again replaces its letter. */
  add(letter: DeadLetter): Promise<void>
  /** Those of one consumer, or all, in the order of the log. */
  list(consumer?: string): Promise<DeadLetter[]>
  /** Deletes the letter of one event, or all letters of a consumer. */
  delete(consumer: string, event?: Pick<DeadLetter, 'stream' | 'revision'>): Promise<void>
}

export interface DeadLetter {
  readonly consumer: string
  readonly stream: string
  readonly revision: number
  readonly position: Position
  readonly type: string
  readonly error: string
}
