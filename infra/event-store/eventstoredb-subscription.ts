import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises'
import type { Position as LogPosition } from '@eventstore/db-client'
import { jittered } from '#infra/async.ts'
import { Unavailable } from '#infra/failures.ts'
import { CheckpointBeyondEnd, type EventBatch, type StoredEvent, toPosition } from './event-store.ts'
import { type Connection, limits, NoResponse, part, readLast, statusOf } from './eventstoredb-connection.ts'
import { toStored } from './eventstoredb-events.ts'
import { type Feed, openFeed } from './eventstoredb-feed.ts'
import { beginning, checkpointOf, isBefore, logPositionAfter, positionOf } from './eventstoredb-log-positions.ts'

export interface FollowOptions {
  readonly connection: Connection
  readonly prefixes: readonly string[]
  readonly batchSize: number
  /** Ends the subscription without an error. */
  readonly signal: AbortSignal
  /** The store was closed. */
  readonly closed: AbortSignal
  /** The subscription broke and will be resumed. */
  readonly onDrop: (error: unknown) => void
}

/**
 * The delays in ms before a broken subscription is resumed: the first, doubled each time, and the longest. A read waits
 * 3 s for what was just written, so the longest is shorter.
 */
const pauses = { first: 50, longest: 2000 }
/** While no event matches, the progress is reported at this interval, in ms. */
const QUIET = 1000
/** The gRPC status for a position at which no record begins. */
const INVALID_ARGUMENT = 3

/**
 * Follows the log after a position, through server restarts, cut connections and unexplained ends: it resubscribes
 * where it stopped. A reader that is still catching up gets an error after a while; one that has reached the end waits
 * for as long as it takes.
 */
export async function* follow(after: LogPosition | undefined, options: FollowOptions): AsyncGenerator<EventBatch> {
  const { connection, prefixes, batchSize, signal, closed, onDrop } = options
  const over = AbortSignal.any([signal, closed])
  let logPosition = after
  let events: StoredEvent[] = []
  /** The reader knows that there is no more. */
  let knowsTheEnd = false
  /** The end was reached once. */
  let isLasting = false
  let failures = 0
  let progress = performance.now()
  let moved = false
  let reportedAt = performance.now()

  const batch = (caughtUp: boolean): EventBatch => {
    const read = {
      events,
      checkpoint: checkpointOf(logPosition ?? beginning),
      position: positionOf(logPosition ?? beginning),
      caughtUp,
    }
    events = []
    moved = false
    reportedAt = performance.now()
    knowsTheEnd = caughtUp
    return read
  }

  /** Takes the received items; returns whether the server reported the end. */
  const take = (feed: Feed): boolean => {
    let caughtUp = false
    for (const item of feed.take(batchSize - events.length)) {
      failures = 0
      progress = performance.now()
      if (item.kind === 'caughtUp') caughtUp = true
      else if (item.kind === 'checkpoint') {
        moved ||= isBefore(logPosition ?? beginning, item.logPosition)
        if (!logPosition || isBefore(logPosition, item.logPosition)) logPosition = item.logPosition
      } else {
        // A dangling link has no event, but its position counts.
        const { event, link, commitPosition } = item.resolved
        const commit = event?.position.commit ?? link?.position.commit ?? commitPosition
        if (commit === undefined) continue
        logPosition = logPositionAfter(commit)
        moved = true
        // A tombstone is in our stream, but belongs to the server.
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
        if (moved && performance.now() - reportedAt > QUIET) yield batch(false)
      } else if (events.length > before) {
        // More events of the same append may be in transit.
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
        // A subscription from beyond the end stays silent for ever: so a checkpoint meets a log that was wiped or
        // restored.
        const end = logPosition && (await endOf(connection))
        if (logPosition && end !== undefined && logPosition.commit > end) throw beyondEnd(logPosition, end)
        feed = openFeed(connection.reader, logPosition, { of: 'streams', prefixes }, batchSize)
        yield* deliver(feed)
      } catch (error) {
        if (over.aborted) break
        if (error instanceof CheckpointBeyondEnd) throw error
        // No record begins at this position: another log has grown beyond it.
        if (statusOf(error) === INVALID_ARGUMENT && logPosition) throw beyondEnd(logPosition, await endOf(connection))
        const patience = error instanceof NoResponse ? 0 : limits.resume
        if (!isLasting && performance.now() - progress >= patience) throw new Unavailable(part, { cause: error })
        onDrop(error)
        await delay(jittered(pauses.first), undefined, { signal: over }).catch(() => {})
        await connection.untilAppended(jittered(Math.min(pauses.first * (2 ** failures++ - 1), pauses.longest)), over)
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
 * The commit position of the last event, of any writer. It is read backwards, since reading forwards from beyond it
 * would be an error.
 */
async function endOf(connection: Connection): Promise<bigint> {
  const [last] = await connection.read(readLast)
  return last?.event?.position.commit ?? 0n
}

function beyondEnd(logPosition: LogPosition, end: bigint): CheckpointBeyondEnd {
  return new CheckpointBeyondEnd(checkpointOf(logPosition), toPosition(String(end)))
}
