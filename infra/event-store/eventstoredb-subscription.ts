import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises'
import type { Position as Place } from '@eventstore/db-client'
import { jittered } from '../async.ts'
import { Unavailable } from '../failures.ts'
import { CheckpointBeyondEnd, type EventBatch, type StoredEvent, toPosition } from './event-store.ts'
import { type Connection, limits, NoResponse, part, readLast, statusOf } from './eventstoredb-connection.ts'
import { toStored } from './eventstoredb-events.ts'
import { type Feed, openFeed } from './eventstoredb-feed.ts'
import { beginning, checkpointOf, isBefore, logPositionAfter, positionOf } from './eventstoredb-places.ts'

export interface FollowOptions {
  readonly connection: Connection
  readonly prefixes: readonly string[]
  readonly batchSize: number
  /** Ends it without an error. */
  readonly signal: AbortSignal
  /** The store was closed. */
  readonly closed: AbortSignal
  /** The subscription broke and will be resumed. */
  readonly onDrop: (error: unknown) => void
}

/** Waits in ms before a broken subscription is resumed, twice as long each time. */
const pauses = { first: 50, longest: 5000 }
/** While nothing matches, how far it has come is told every so many ms. */
const QUIET = 1000
/** The status that a place gets where no record begins. */
const INVALID_ARGUMENT = 3

/**
 * Follows the log after a place, through restarts of the server, cut connections and ends without a reason: each time it
 * subscribes again where it stands. Whoever is still catching up is told after a while that the log is away; whoever has
 * been at the end waits for as long as it takes.
 */
export async function* follow(after: Place | undefined, options: FollowOptions): AsyncGenerator<EventBatch> {
  const { connection, prefixes, batchSize, signal, closed, onDrop } = options
  const over = AbortSignal.any([signal, closed])
  let place = after
  let events: StoredEvent[] = []
  /** The reader was told that there is no more. */
  let knowsTheEnd = false
  /** It has been at the end once. */
  let isLasting = false
  let failures = 0
  let progress = performance.now()
  let moved = false
  let told = performance.now()

  const batch = (caughtUp: boolean): EventBatch => {
    const read = { events, checkpoint: checkpointOf(place ?? beginning), position: positionOf(place ?? beginning), caughtUp }
    events = []
    moved = false
    told = performance.now()
    knowsTheEnd = caughtUp
    return read
  }

  /** Takes what has come, and whether the server said that it has no more. */
  const take = (feed: Feed): boolean => {
    let caughtUp = false
    for (const item of feed.take(batchSize - events.length)) {
      failures = 0
      progress = performance.now()
      if (item.kind === 'caughtUp') caughtUp = true
      else if (item.kind === 'checkpoint') {
        moved ||= isBefore(place ?? beginning, item.place)
        if (!place || isBefore(place, item.place)) place = item.place
      } else {
        // There is no event where a link leads nowhere any more. Its place is passed nevertheless.
        const { event, link, commitPosition } = item.resolved
        const commit = event?.position.commit ?? link?.position.commit ?? commitPosition
        if (commit === undefined) continue
        place = logPositionAfter(commit)
        moved = true
        // A tombstone stands in our stream, but is the server's.
        if (!event || event.type.startsWith('$')) continue
        events.push(toStored(event, commit))
      }
    }
    return caughtUp
  }

  async function* deliver(feed: Feed): AsyncGenerator<EventBatch> {
    let atEnd = false
    while (!over.aborted) {
      const before = events.length
      const caughtUp = take(feed)
      atEnd ||= caughtUp
      isLasting ||= atEnd
      if (events.length >= batchSize) {
        yield batch(false)
        continue
      }
      if (!atEnd) {
        if (moved && performance.now() - told > QUIET) yield batch(false)
      } else if (events.length > before) {
        // More of the same append may be on its way.
        await turn()
        continue
      } else if (events.length > 0 || moved || !knowsTheEnd) yield batch(true)
      if (over.aborted) return
      await feed.more(isLasting ? undefined : limits.answer)
    }
  }

  const giveBack = await connection.subscribing(over).catch((error: unknown) => {
    if (signal.aborted) return undefined
    throw error
  })
  if (!giveBack) return
  const endFeed = (): void => feed?.close()
  let feed: Feed | undefined
  over.addEventListener('abort', endFeed)
  try {
    while (!over.aborted) {
      try {
        if (place) await refuseBeyondEnd(connection, place)
        feed = openFeed(connection.reader, place, prefixes, batchSize)
        yield* deliver(feed)
      } catch (error) {
        if (over.aborted) break
        if (error instanceof CheckpointBeyondEnd) throw error
        // No record begins where we stand: another log has grown beyond it.
        if (statusOf(error) === INVALID_ARGUMENT && place) throw await beyondEnd(connection, place)
        const patience = error instanceof NoResponse ? 0 : limits.resume
        if (!isLasting && performance.now() - progress >= patience) throw new Unavailable(part, { cause: error })
        onDrop(error)
        await delay(jittered(Math.min(pauses.first * 2 ** failures++, pauses.longest)), undefined, { signal: over }).catch(() => {})
      } finally {
        feed?.close()
      }
    }
  } finally {
    over.removeEventListener('abort', endFeed)
    giveBack()
  }
  if (!signal.aborted) throw new Unavailable(part, { cause: new Error('The store was closed') })
}

/**
 * Subscribed to from beyond its end, a log keeps silent for ever, also about what is new: that is how a checkpoint meets a
 * log that was wiped or restored. So the end is read first, backwards, for from our place that would be an error, too.
 */
async function refuseBeyondEnd(connection: Connection, place: Place): Promise<void> {
  const [last] = await connection.read(readLast)
  if (place.commit > (last?.event?.position.commit ?? 0n)) throw await beyondEnd(connection, place)
}

async function beyondEnd(connection: Connection, place: Place): Promise<CheckpointBeyondEnd> {
  const [last] = await connection.read(readLast)
  return new CheckpointBeyondEnd(checkpointOf(place), toPosition(String(last?.event?.position.commit ?? 0n)))
}
