/**
 * The port to the event log: an append-only log of events in streams.
 *
 * Positions grow along the whole log; revisions count from 0 within a stream. A reader sees every event once and in
 * order. Nothing is ever changed or removed.
 */
export interface EventStore {
  /**
   * Appends all events or none, durably, when the stream stands exactly at `expected`.
   * The same event ids at the same expected revision again answer with the first result and write nothing.
   *
   * @throws {WrongRevision} when the stream stands elsewhere.
   * @throws {Unavailable} when the outcome is unknown: try again with the same ids and the same expected revision.
   * @throws {TypeError} for no events, an empty type or an id that is no UUID.
   */
  append(stream: string, expected: ExpectedRevision, events: readonly EventToAppend[]): Promise<Appended>

  /** The events of a stream from a revision on, oldest first, in pages that are never empty. An unknown stream has none. */
  readStream(stream: string, from?: number): AsyncIterable<StoredEvent[]>

  /**
   * Every event after a checkpoint (all, without one), then what comes, until `signal` aborts: the iteration then
   * ends without an error. Batches keep their order; the reader's pace sets the store's.
   */
  subscribe(after: Checkpoint | undefined, options: SubscribeOptions): AsyncIterable<EventBatch>

  /** Where the log ends now: the position of its last event, `start` when it has none. */
  end(): Promise<Position>

  /** @throws {Unavailable} when appends or reads would fail now. */
  ready(): Promise<void>

  close(): Promise<void>
}

declare const kind: unique symbol

/** A place in the whole log: a decimal number as text. Compare with {@link comparePositions}, never as text. */
export type Position = string & { readonly [kind]: 'Position' }

/** Where a subscription goes on; what it says is the adapter's own affair. Keep it as it is. */
export type Checkpoint = string & { readonly [kind]: 'Checkpoint' }

/** The revision of the stream's last event, or 'none' for a stream without events. */
export type ExpectedRevision = number | 'none'

export interface EventToAppend {
  /** A UUID. */
  readonly id: string
  readonly type: string
  /** JSON text, kept byte for byte. */
  readonly data: string
  /** JSON text, kept byte for byte. */
  readonly metadata: string
}

export interface StoredEvent extends EventToAppend {
  readonly stream: string
  readonly revision: number
  readonly position: Position
}

export interface Appended {
  /** Revision of the last event appended. */
  readonly revision: number
  /** Position of the last event appended. */
  readonly position: Position
}

export interface EventBatch {
  /** In order; may be empty when only the checkpoint moved or the end was reached. */
  readonly events: readonly StoredEvent[]
  /** Resuming after this skips all events delivered so far and none else. */
  readonly checkpoint: Checkpoint
  /** All events up to here have been delivered. */
  readonly position: Position
  /** The log had no more when the batch was read. It may come again and again. */
  readonly caughtUp: boolean
}

export interface SubscribeOptions {
  readonly signal: AbortSignal
  /** At most this many events a batch. */
  readonly batchSize?: number
}

export class WrongRevision extends Error {
  override readonly name = 'WrongRevision'
  constructor(
    readonly stream: string,
    readonly expected: ExpectedRevision,
    readonly actual: ExpectedRevision,
  ) {
    super(`Stream ${stream} stands at ${actual}, not at ${expected}`)
  }
}

/** Before the first event of any log. */
export const start: Position = toPosition('0')

/** The only maker of positions, for adapters and for what arrives from outside. @throws {TypeError} when it is no decimal number. */
export function toPosition(text: string): Position {
  if (!isPosition(text)) throw new TypeError(`Not a log position: ${text}`)
  return text
}

/** Whether a text from outside (a header, a cookie) can be a position. */
export function isPosition(text: string): text is Position {
  return /^(0|[1-9]\d{0,19})$/.test(text)
}

/** Negative, zero or positive as `a` lies before, at or after `b`. */
export function comparePositions(a: Position, b: Position): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0)
}
