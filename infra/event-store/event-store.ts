/**
 * The port to the event log: an append-only log of events in streams.
 *
 * Positions grow along the whole log; revisions count from 0 within a stream. A reader sees every event once and in
 * order. Nothing is ever changed or removed.
 */
export interface EventStore {
  /**
   * Appends all events or none, durably, if the stream is exactly at `expected`.
   * A repeated append (same event ids, same expected revision) returns the first result and writes nothing.
   *
   * @throws {WrongRevision} when the stream is at another revision; one that was deleted for ever is at 'none', and
   * takes no event even if that is expected.
   * @throws {Unavailable} when the outcome is unknown: retry with the same ids and the same expected revision.
   * @throws {TypeError} for invalid events: see {@link checkAppend}.
   */
  append(stream: string, expected: ExpectedRevision, events: readonly EventToAppend[]): Promise<Appended>

  /**
   * The events of a stream from a revision on, oldest first, in non-empty pages. An unknown stream has none, nor has one
   * that was deleted. Where the store was told to hide events, revisions are missing.
   * To read only a few, choose a small page size and stop after the first page.
   */
  readStream(stream: string, from?: number, pageSize?: number): AsyncIterable<StoredEvent[]>

  /**
   * Delivers every event after a checkpoint (or all), then new ones, until `signal` aborts: the iteration then
   * ends without an error. Batches are in order, and the reader sets the pace.
   *
   * @throws {CheckpointBeyondEnd} when the log never reached the checkpoint.
   * @throws {Unavailable} when the log cannot be read (any longer): subscribe again after the last checkpoint.
   * @throws {TypeError} for a checkpoint of another kind of store.
   */
  subscribe(after: Checkpoint | undefined, options: SubscribeOptions): AsyncIterable<EventBatch>

  /** The position of the last event, `start` for an empty log. */
  end(): Promise<Position>

  /** The checkpoint for reading only new events. */
  checkpointAtEnd(): Promise<Checkpoint>

  /**
   * What others told the store to hide or delete of our streams, all of them or none. Nothing of ours does that. Only
   * stores that can hide events have this.
   *
   * @throws {Unavailable} when the log cannot be read.
   */
  readonly hidingOrders?: () => Promise<readonly HidingOrder[]>

  /**
   * What no append left there: rows that are no part of the log, and positions after an event that no event has. Only a
   * store that numbers its events one by one has this.
   *
   * @throws {Unavailable}
   */
  strays?(after: Position): Promise<readonly Stray[]>

  /** @throws {Unavailable} when appends or reads would fail now. */
  ready(): Promise<void>

  /** Completes the appends in progress. Later calls and open subscriptions fail with {@link Unavailable}. */
  close(): Promise<void>
}

/** A row that is no part of the log, or positions of no event. */
export interface Stray {
  readonly kind: 'outside' | 'gap'
  readonly says: string
}

declare const kind: unique symbol

/** A position in the whole log: a decimal number as text. Compare with {@link comparePositions}, never as text. */
export type Position = string & { readonly [kind]: 'Position' }

/** Where a subscription resumes, in the adapter's own format. Store it unchanged. */
export type Checkpoint = string & { readonly [kind]: 'Checkpoint' }

/** The revision of the stream's last event, or 'none' for a stream without events. */
export type ExpectedRevision = number | 'none'

/** An order to hide events of a stream when it is read, and to delete them some day; the whole log still shows them. */
export interface HidingOrder {
  readonly stream: string
  /** After the stream's name: 'was deleted for ever', 'has metadata that hides events: {"$maxCount":1}'. */
  readonly says: string
}

export interface EventToAppend {
  /** A UUID, in lower case. */
  readonly id: string
  readonly type: string
  /** JSON text, stored byte for byte. */
  readonly data: string
  /** JSON text, stored byte for byte. */
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
  /** Resuming after this skips exactly the events delivered so far. */
  readonly checkpoint: Checkpoint
  /** All events up to here have been delivered. */
  readonly position: Position
  /** The log had no more events when the batch was read. May be true repeatedly. */
  readonly caughtUp: boolean
}

export interface SubscribeOptions {
  readonly signal: AbortSignal
  /** The maximum of events per batch. */
  readonly batchSize?: number
}

export class WrongRevision extends Error {
  override readonly name = 'WrongRevision'
  constructor(
    readonly stream: string,
    readonly expected: ExpectedRevision,
    readonly actual: ExpectedRevision,
  ) {
    super(`Stream ${stream} is at ${actual}, not at ${expected}`)
  }
}

/**
 * The log ends before the checkpoint: it was wiped or restored from a backup, and the read models are ahead of it.
 * Continuing would silently skip events, so an operator must decide.
 */
export class CheckpointBeyondEnd extends Error {
  override readonly name = 'CheckpointBeyondEnd'
  constructor(
    readonly checkpoint: Checkpoint,
    readonly end: Position,
  ) {
    super(
      `The event log ends at ${end}, before the checkpoint ${checkpoint}: it was wiped or restored, or this is another log`,
    )
  }
}

/**
 * Validates an append, alike for all stores.
 *
 * @throws {TypeError} for no events, an invalid name of a stream or type, an id that is no UUID, or an invalid
 * revision.
 */
export function checkAppend(stream: string, expected: ExpectedRevision, events: readonly EventToAppend[]): void {
  if (!isName(stream)) throw new TypeError(`Not a stream name: ${JSON.stringify(stream)}`)
  if (expected !== 'none' && !(Number.isSafeInteger(expected) && expected >= 0))
    throw new TypeError(`Not a revision: ${expected}`)
  if (events.length === 0) throw new TypeError(`No events to append to ${stream}`)
  for (const { id, type, data, metadata } of events) {
    if (!isName(type)) throw new TypeError(`Not an event type: ${JSON.stringify(type)}`)
    if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id))
      throw new TypeError(`Not a UUID in lower case: ${JSON.stringify(id)}`)
    // JSON text holds no raw NUL, and SQLite would truncate there.
    if (data.includes('\0') || metadata.includes('\0')) throw new TypeError(`Not JSON text: event ${id}`)
  }
}

/** No control characters or lone surrogates, which stores would alter; `$` marks a store's own names. */
function isName(text: string): boolean {
  return /^[^$\p{Cc}\p{Cs}][^\p{Cc}\p{Cs}]*$/u.test(text)
}

/** Before the first event of any log. */
export const start: Position = toPosition('0')

/**
 * Creates positions, for adapters and for text from outside.
 *
 * @throws {TypeError} for anything but a decimal number.
 */
export function toPosition(text: string): Position {
  if (!isPosition(text)) throw new TypeError(`Not a log position: ${text}`)
  return text
}

/** Whether a text from outside (a header, a cookie) is a valid position. */
export function isPosition(text: string): text is Position {
  return /^(0|[1-9]\d{0,19})$/.test(text)
}

/** Creates checkpoints, for adapters and from storage. @throws {TypeError} for an empty text. */
export function toCheckpoint(text: string): Checkpoint {
  if (!isCheckpoint(text)) throw new TypeError('A checkpoint cannot be empty')
  return text
}

/** Only the adapter can validate more. */
function isCheckpoint(text: string): text is Checkpoint {
  return text !== ''
}

/** Negative, zero or positive as `a` is before, at or after `b`. */
export function comparePositions(a: Position, b: Position): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0)
}
