import { setTimeout as delay } from 'node:timers/promises'
import type { EventStore, Position, StoredEvent } from '../../../infra/event-store/event-store.ts'
import type { LogCopy } from '../../../infra/event-store/sqlite-copy.ts'
import { Unavailable } from '../../../infra/failures.ts'
import { Refused } from '../../event-sourcing/refusal.ts'

/** A copy is not the same as what it is of. */
export class CopyMismatch extends Refused {
  constructor(message: string) {
    super('conflict', message)
  }
}

export interface CopyLogOptions {
  /** The last fact to be copied. */
  readonly upTo: Position
  /** Called for every fact that is, or becomes, part of the copy, in order. */
  readonly onEvent: (fact: StoredEvent) => void
  readonly onProgress?: ((facts: number) => void) | undefined
}

/** Facts that are added together. */
const BATCH_SIZE = 500

/**
 * Copies a log fact by fact. What the copy has already, from a time before, must be the same; it goes on where that ends.
 * Answers how many facts it has now, and how many of them are new.
 *
 * @throws {CopyMismatch} naming the first fact that differs; nothing is added then.
 */
export async function copyLog(
  source: Pick<EventStore, 'subscribe'>,
  copy: LogCopy,
  { upTo, onEvent, onProgress }: CopyLogOptions,
): Promise<{ facts: number; added: number }> {
  const copied = readEvents(copy.store)
  let [facts, added] = [0, 0]
  let waiting: StoredEvent[] = []
  const add = async (): Promise<void> => {
    if (waiting.length > 0) await copy.add(waiting)
    added += waiting.length
    waiting = []
    onProgress?.(facts)
  }
  for await (const fact of readEvents(source, upTo)) {
    const there = added > 0 || waiting.length > 0 ? undefined : (await copied.next()).value
    if (there) checkSameEvent(fact, there)
    else waiting.push(fact)
    facts += 1
    onEvent(fact)
    if (waiting.length >= BATCH_SIZE || facts % 10_000 === 0) await add()
  }
  await add()
  if (added === 0) {
    const beyond = (await copied.next()).value
    if (beyond) throw new CopyMismatch(`The copy has more than the log: ${nameOf(beyond)}. Somebody has worked with it`)
  }
  await copied.return(undefined)
  return { facts, added }
}

/**
 * Reads both logs once more and holds every fact of the copy against the log's, byte for byte.
 *
 * @throws {CopyMismatch} naming the first fact that differs.
 */
export async function compareLogs(
  source: Pick<EventStore, 'subscribe'>,
  copy: Pick<EventStore, 'subscribe'>,
  upTo: Position,
  onPair: (fact: StoredEvent, copied: StoredEvent) => void = () => {},
): Promise<number> {
  const copied = readEvents(copy)
  let facts = 0
  for await (const fact of readEvents(source, upTo)) {
    const there = (await copied.next()).value
    if (!there) throw new CopyMismatch(`${nameOf(fact)} is missing in the copy`)
    checkSameEvent(fact, there)
    onPair(fact, there)
    facts += 1
  }
  const beyond = (await copied.next()).value
  if (beyond) throw new CopyMismatch(`The copy has more than the log: ${nameOf(beyond)}. Somebody has worked with it`)
  return facts
}

/** Does something again while a server is away, a bounded number of times. */
export async function withRetries<Result>(work: () => Promise<Result>): Promise<Result> {
  for (const wait of [200, 1_000, 3_000, 10_000]) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error
      await delay(wait)
    }
  }
  return work()
}

/** All facts of a log in order, up to a position or to its end. */
export async function* readEvents(store: Pick<EventStore, 'subscribe'>, upTo?: Position): AsyncGenerator<StoredEvent, undefined> {
  const stopped = new AbortController()
  for await (const { events, caughtUp, position } of store.subscribe(undefined, { signal: stopped.signal })) {
    for (const event of events) {
      if (upTo !== undefined && Number(event.position) > Number(upTo)) return undefined
      yield event
    }
    if (caughtUp || (upTo !== undefined && Number(position) >= Number(upTo))) stopped.abort()
  }
  return undefined
}

function checkSameEvent(fact: StoredEvent, copied: StoredEvent): void {
  const differing = (['stream', 'revision', 'id', 'type', 'data', 'metadata'] as const).filter((part) => fact[part] !== copied[part])
  if (differing.length > 0) throw new CopyMismatch(`${nameOf(fact)} is not the same in the copy: ${differing.join(', ')}. There it is ${nameOf(copied)}`)
}

function nameOf({ position, stream, revision, type }: StoredEvent): string {
  return `fact ${position} (${type}, ${stream}#${revision})`
}
