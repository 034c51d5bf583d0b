import type { Position } from '../event-store/event-store.ts'

/** An event that a consumer of the log could not use. */
export interface DeadLetter {
  readonly consumer: string
  readonly stream: string
  readonly revision: number
  readonly position: Position
  readonly type: string
  readonly error: string
}
export interface DeadLetterStore {
  /** The same event again replaces the letter. */
  add(letter: DeadLetter): Promise<void>
  list(consumer?: string): Promise<DeadLetter[]> // in the order of the log
  /** One event's letter, or all of a consumer. */
  delete(consumer: string, event?: Pick<DeadLetter, 'stream' | 'revision'>): Promise<void>
}
