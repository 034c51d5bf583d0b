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
   * @throws {TypeError} for what {@link checkAppend} refuses.
   */
  append(stream: string, expected: ExpectedRevision, events: readonly EventToAppend[]): Promise<Appended>

  /**
   * The events of a stream from a revision on, oldest first, in pages that are never empty. An unknown stream has none.
   * Who wants only a few says so by the size of a page, and stops after the first.
   */
  readStream(stream: string, from?: number, pageSize?: number): AsyncIterable<StoredEvent[]>

  /**
   * Every event after a checkpoint (all, without one), then what comes, until `signal` aborts: the iteration then
   * ends without an error. Batches keep their order; the reader's pace sets the store's.
   *
   * @throws {CheckpointBeyondEnd} when the log never was where the checkpoint says.
   * @throws {Unavailable} when the log cannot be read (any more): subscribe again after the last checkpoint.
   * @throws {TypeError} for a checkpoint that this kind of store never gave.
   */
  subscribe(after: Checkpoint | undefined, options: SubscribeOptions): AsyncIterable<EventBatch>

  /** Where the log ends now: the position of its last event, `start` when it has none. */
  end(): Promise<Position>

  /** The checkpoint of a reader that wants only what comes from now on. */
  checkpointAtEnd(): Promise<Checkpoint>

  /** @throws {Unavailable} when appends or reads would fail now. */
  ready(): Promise<void>

  /** Finishes the appends under way. What comes later, and subscriptions still open, fail with {@link Unavailable}. */
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
  /** A UUID, in lower case. */
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

/**
 * The log ends before the checkpoint: it was wiped, or restored from a backup, under views that know more. Going on
 * would skip events in silence, so whoever runs the views must decide.
 */
export class CheckpointBeyondEnd extends Error {
  override readonly name = 'CheckpointBeyondEnd'
  constructor(
    readonly checkpoint: Checkpoint,
    readonly end: Position,
  ) {
    super(`The event log ends at ${end}, before the checkpoint ${checkpoint}: it was wiped or restored, or this is another log`)
  }
}

/**
 * What no store takes, checked here alike for all of them.
 *
 * @throws {TypeError} for no events, a stream or type without a name or with one that can't be kept, an id that is no
 * UUID, an expectation that is no revision.
 */
export function checkAppend(stream: string, expected: ExpectedRevision, events: readonly EventToAppend[]): void {
  if (!isName(stream)) throw new TypeError(`Not a stream's name: ${JSON.stringify(stream)}`)
  if (expected !== 'none' && !(Number.isSafeInteger(expected) && expected >= 0)) throw new TypeError(`Not a revision: ${expected}`)
  if (events.length === 0) throw new TypeError(`No events to append to ${stream}`)
  for (const { id, type, data, metadata } of events) {
    if (!isName(type)) throw new TypeError(`Not an event type: ${JSON.stringify(type)}`)
    if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) throw new TypeError(`Not a UUID in lower case: ${JSON.stringify(id)}`)
    // JSON text holds no raw NUL, and SQLite would give it back cut there.
    if (data.includes('\0') || metadata.includes('\0')) throw new TypeError(`Not JSON text: event ${id}`)
  }
}

/** No control characters or halves of surrogate pairs, which would not come back as they were; `$` marks a store's own. */
function isName(text: string): boolean {
  return /^[^$\p{Cc}\p{Cs}][^\p{Cc}\p{Cs}]*$/u.test(text)
}

/** Before the first event of any log. */
export const start: Position = toPosition('0')

/**
 * The only maker of positions, for adapters and for what arrives from outside.
 *
 * @throws {TypeError} when it is no decimal number.
 */
export function toPosition(text: string): Position {
  if (!isPosition(text)) throw new TypeError(`Not a log position: ${text}`)
  return text
}

/** Whether a text from outside (a header, a cookie) can be a position. */
export function isPosition(text: string): text is Position {
  return /^(0|[1-9]\d{0,19})$/.test(text)
}

/** The only maker of checkpoints, for adapters and for one that was kept. @throws {TypeError} for an empty text. */
export function toCheckpoint(text: string): Checkpoint {
  if (!isCheckpoint(text)) throw new TypeError('An empty text is no checkpoint')
  return text
}

/** Only the adapter knows more about them. */
function isCheckpoint(text: string): text is Checkpoint {
  return text !== ''
}

/** Negative, zero or positive as `a` lies before, at or after `b`. */
export function comparePositions(a: Position, b: Position): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0)
}
