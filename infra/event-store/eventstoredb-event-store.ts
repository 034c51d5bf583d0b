import { setTimeout as delay } from 'node:timers/promises'
import {
  BACKWARDS,
  END,
  type EventStoreDBClient,
  MaxAppendSizeExceededError,
  type Position as Place,
  StreamNotFoundError,
  WrongExpectedVersionError,
} from '@eventstore/db-client'
import { jittered } from '../async.ts'
import { Unavailable } from '../failures.ts'
import { createRunningWork } from '../running-work.ts'
import { checkAppend, type Appended, type EventStore, start, toPosition, WrongRevision } from './event-store.ts'
import { createDeadline, connect, NoResponse, part, readLast } from './eventstoredb-connection.ts'
import { checkSize, toProposed, toStored } from './eventstoredb-events.ts'
import { beginning, checkpointOf, logPositionAfter, logPositionOf } from './eventstoredb-places.ts'
import { follow } from './eventstoredb-subscription.ts'

export interface EventStoreDbOptions {
  /** How the names of our streams begin. What else stands in the log, the server's own events first of all, is not ours. */
  readonly prefixes: readonly string[]
  /** A subscription broke and will be resumed. */
  readonly onDrop?: (error: unknown) => void
}

const largestPage = 1000
/** Waits in ms before an append with an unknown outcome is sent again. */
const APPEND_RETRIES = [30, 120]
/** How many events are read to find the last of ours, first and at most. */
const LOOKBACK_EVENTS = { first: 16, most: 4096 }

/**
 * The event log in EventStoreDB, `esdb://…`, over its own client.
 *
 * Appends go by the client's batch append: one call for all of them, which is three to four times as fast as a call each.
 * Its weaknesses are met in eventstoredb-connection.ts (a client of its own, one for the process, a time limit of ours) and
 * before anything is sent (checkAppend, checkSize): what that call refuses ends our process or breaks it for the others.
 */
export function openEventStoreDb(url: string, { prefixes, onDrop = () => {} }: EventStoreDbOptions): EventStore {
  const connection = connect(url)
  const closing = new AbortController()
  const appending = createRunningWork()
  let released: Promise<void> | undefined
  /** The last of our events up to a place, both by their commits: what lies before need not be looked at again. */
  let known = { last: 0n, upTo: 0n }

  const isOurs = (stream: string): boolean => prefixes.some((prefix) => stream.startsWith(prefix))

  const refuseClosed = (): void => {
    if (closing.signal.aborted) throw new Unavailable(part, { cause: new Error('The store was closed') })
  }

  const asked = async <Answer>(question: () => Promise<Answer>): Promise<Answer> => {
    refuseClosed()
    try {
      return await question()
    } catch (error) {
      throw error instanceof Unavailable || error instanceof StreamNotFoundError ? error : new Unavailable(part, { cause: error })
    }
  }

  /** Reads backwards until one of ours comes, or what was looked at before: others may have written much since. */
  const lastOfOurs = async (): Promise<bigint> => {
    let end: bigint | undefined
    let from: typeof END | Place = END
    for (let count = LOOKBACK_EVENTS.first; ; count = Math.min(count * 4, LOOKBACK_EVENTS.most)) {
      const page = await asked(() => connection.read((client) => client.readAll({ direction: BACKWARDS, fromPosition: from, maxCount: count })))
      for (const { event } of page) {
        if (!event) continue
        const { commit } = event.position
        end ??= commit
        // The log was wiped or restored.
        if (end < known.upTo) known = { last: 0n, upTo: 0n }
        if (commit <= known.upTo) return known.last
        if (!isOurs(event.streamId) || event.type.startsWith('$')) continue
        known = { last: commit, upTo: end }
        return commit
      }
      const oldest = page.at(-1)?.event?.position
      if (!oldest || page.length < count) {
        known = { last: 0n, upTo: end ?? 0n }
        return 0n
      }
      from = oldest
    }
  }

  return {
    async append(stream, expected, events) {
      checkAppend(stream, expected, events)
      // It would be kept, and no subscription would ever bring it.
      if (!isOurs(stream)) throw new TypeError(`No stream of ours: ${stream}`)
      checkSize(stream, events)
      const proposed = events.map(toProposed)
      refuseClosed()
      // Never "any": only with an exact revision, or none, is it the same append when it is sent again after a restart.
      const send = (client: EventStoreDBClient) =>
        client.appendToStream(stream, proposed, { expectedRevision: expected === 'none' ? 'no_stream' : BigInt(expected) })
      const append = async (): Promise<Appended> => {
        const deadline = createDeadline()
        for (let tries = 0; ; tries++) {
          try {
            const { nextExpectedRevision, position } = await connection.append(send, deadline)
            if (!position) throw new Error('An append was answered without a position')
            return { revision: Number(nextExpectedRevision), position: toPosition(String(position.commit)) }
          } catch (error) {
            if (error instanceof WrongExpectedVersionError) {
              const actual = error.actualVersion
              throw new WrongRevision(stream, expected, typeof actual === 'bigint' ? Number(actual) : 'none')
            }
            if (error instanceof MaxAppendSizeExceededError) throw new TypeError(`Too much for one append to ${stream}`, { cause: error })
            const wait = APPEND_RETRIES[tries]
            // Where there is no answer at all, asking again takes as long again.
            if (error instanceof Unavailable) throw error
            if (wait === undefined || error instanceof NoResponse || deadline.isOver() || closing.signal.aborted) throw new Unavailable(part, { cause: error })
            await delay(jittered(wait))
          }
        }
      }
      return appending.track(append())
    },

    async *readStream(stream, from = 0, pageSize = largestPage) {
      for (let next = from; ;) {
        const page = await asked(() => connection.read((client) => client.readStream(stream, { fromRevision: BigInt(next), maxCount: pageSize }))).catch(
          (error: unknown) => {
            if (error instanceof StreamNotFoundError) return []
            throw error
          },
        )
        const events = page.flatMap(({ event, commitPosition }) => {
          const commit = event?.position?.commit ?? commitPosition
          return event && commit !== undefined ? [toStored(event, commit)] : []
        })
        const last = events.at(-1)
        if (!last) return
        yield events
        if (page.length < pageSize) return
        next = last.revision + 1
      }
    },

    async *subscribe(after, { signal, batchSize = 500 }) {
      if (signal.aborted) return
      const place = after === undefined ? undefined : logPositionOf(after)
      refuseClosed()
      yield* follow(place, { connection, prefixes, batchSize, signal, closed: closing.signal, onDrop })
    },

    async end() {
      const last = await lastOfOurs()
      return last === 0n ? start : toPosition(String(last))
    },

    async checkpointAtEnd() {
      const last = await lastOfOurs()
      return checkpointOf(last === 0n ? beginning : logPositionAfter(last))
    },

    async ready() {
      await asked(() => connection.read(readLast))
    },

    async close() {
      const finished = appending.settled()
      closing.abort()
      released ??= finished.then(() => connection.release())
      await released
    },
  }
}
