import type { EventStore, Position, StoredEvent } from '#infra/event-store/event-store.ts'
import type { LogCopy } from '#infra/event-store/sqlite-copy.ts'
import { readLog } from '#services/event-sourcing/read-log.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'

/** A copy differs from its source. */
export class CopyMismatch extends Refused {
  constructor(message: string) {
    super('conflict', message)
  }
}

export interface CopyLogOptions {
  /** The position of the last event to copy. */
  readonly upTo: Position
  /** Called in order for every event of the copy, also for those copied earlier. */
  readonly onEvent: (event: StoredEvent) => void
  readonly onProgress?: ((events: number) => void) | undefined
}

/** Events added to the copy at once. */
const BATCH_SIZE = 500

/**
 * Copies a log event by event. Events that the copy has already must be the same; copying continues after them. Returns
 * how many events the copy has now, and how many of them are new.
 *
 * @throws {CopyMismatch} naming the first event that differs; nothing is added then.
 */
export async function copyLog(
  source: Pick<EventStore, 'subscribe'>,
  copy: LogCopy,
  { upTo, onEvent, onProgress }: CopyLogOptions,
): Promise<{ events: number; added: number }> {
  const copied = readEvents(copy.store)
  let [events, added] = [0, 0]
  let waiting: StoredEvent[] = []
  const add = async (): Promise<void> => {
    if (waiting.length > 0) await copy.add(waiting)
    added += waiting.length
    waiting = []
    onProgress?.(events)
  }
  for await (const event of readEvents(source, upTo)) {
    const existing = added > 0 || waiting.length > 0 ? undefined : (await copied.next()).value
    if (existing) checkSameEvent(event, existing)
    else waiting.push(event)
    events += 1
    onEvent(event)
    if (waiting.length >= BATCH_SIZE || events % 10_000 === 0) await add()
  }
  await add()
  if (added === 0) checkNoMore((await copied.next()).value)
  await copied.return(undefined)
  return { events, added }
}

/**
 * Reads both logs once more and compares every event of the copy with the source, byte for byte.
 *
 * @throws {CopyMismatch} naming the first event that differs.
 */
export async function compareLogs(
  source: Pick<EventStore, 'subscribe'>,
  copy: Pick<EventStore, 'subscribe'>,
  upTo: Position,
  onPair: (event: StoredEvent, copied: StoredEvent) => void,
): Promise<void> {
  const copied = readEvents(copy)
  for await (const event of readEvents(source, upTo)) {
    const other = (await copied.next()).value
    if (!other) throw new CopyMismatch(`${nameOf(event)} is missing in the copy`)
    checkSameEvent(event, other)
    onPair(event, other)
  }
  checkNoMore((await copied.next()).value)
}

function checkNoMore(event: StoredEvent | undefined): void {
  if (event)
    throw new CopyMismatch(`The copy has more than the log: ${nameOf(event)}. The portal has already worked with it`)
}

/** All events of a log in order, up to a position or to its end. */
export async function* readEvents(
  store: Pick<EventStore, 'subscribe'>,
  upTo?: Position,
): AsyncGenerator<StoredEvent, undefined> {
  for await (const { events, position } of readLog(store)) {
    for (const event of events) {
      if (upTo !== undefined && Number(event.position) > Number(upTo)) return undefined
      yield event
    }
    if (upTo !== undefined && Number(position) >= Number(upTo)) return undefined
  }
  return undefined
}

function checkSameEvent(event: StoredEvent, copied: StoredEvent): void {
  const differing = (['stream', 'revision', 'id', 'type', 'data', 'metadata'] as const).filter(
    (field) => event[field] !== copied[field],
  )
  if (differing.length > 0)
    throw new CopyMismatch(
      `${nameOf(event)} differs in the copy: ${differing.join(', ')}. There it is ${nameOf(copied)}`,
    )
}

function nameOf({ position, stream, revision, type }: StoredEvent): string {
  return `event ${position} (${type}, ${stream}#${revision})`
}
