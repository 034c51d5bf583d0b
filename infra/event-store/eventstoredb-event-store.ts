import { setTimeout as delay } from 'node:timers/promises'
import {
  BACKWARDS,
  binaryEvent,
  END,
  type EventData,
  type EventStoreDBClient,
  MaxAppendSizeExceededError,
  type Position as LogPosition,
  StreamDeletedError,
  StreamNotFoundError,
  WrongExpectedVersionError,
} from '@eventstore/db-client'
import { createRunningWork, jittered } from '#infra/async.ts'
import { Unavailable } from '#infra/failures.ts'
import {
  checkAppend,
  type Appended,
  type EventStore,
  type ExpectedRevision,
  start,
  toPosition,
  WrongRevision,
} from './event-store.ts'
import { createDeadline, connect, NoResponse, part, readLast } from './eventstoredb-connection.ts'
import { checkSize, toProposed, toStored } from './eventstoredb-events.ts'
import { beginning, checkpointOf, logPositionAfter, logPositionOf } from './eventstoredb-log-positions.ts'
import { readHidingOrders } from './eventstoredb-hiding-orders.ts'
import { follow } from './eventstoredb-subscription.ts'

export interface EventStoreDbOptions {
  /** The prefixes of our streams. All other streams in the log, such as the server's own, are ignored. */
  readonly prefixes: readonly string[]
  /** A subscription broke and will be resumed. */
  readonly onDrop?: (error: unknown) => void
}

const largestPage = 1000
/** Delays in ms before an append with an unknown outcome is sent again. */
const APPEND_RETRIES = [30, 120]
/** How many events are read to find our last one, at first and at most. */
const LOOKBACK_EVENTS = { first: 16, most: 4096 }

/**
 * The event log in EventStoreDB, `esdb://…`, over its own client.
 *
 * Appends use the client's batch append: one call for all of them is three to four times as fast as a call each.
 * Its weaknesses are handled in eventstoredb-connection.ts (a separate client per process, our own time-outs) and
 * by validation before sending (checkAppend, checkSize): an invalid append would end our process or break the others'.
 */
export function openEventStoreDb(url: string, { prefixes, onDrop = () => {} }: EventStoreDbOptions): EventStore {
  const connection = connect(url)
  const closing = new AbortController()
  const appending = createRunningWork()
  let released: Promise<void> | undefined
  /** Our last event up to a commit position: earlier ones need not be searched again. */
  let known = { last: 0n, upTo: 0n }

  const isOurs = (stream: string): boolean => prefixes.some((prefix) => stream.startsWith(prefix))

  const refuseClosed = (): void => {
    if (closing.signal.aborted) throw new Unavailable(part, { cause: new Error('The store was closed') })
  }

  const answerOf = async <Answer>(question: () => Promise<Answer>): Promise<Answer> => {
    refuseClosed()
    try {
      return await question()
    } catch (error) {
      throw error instanceof Unavailable || isWithoutEvents(error) ? error : new Unavailable(part, { cause: error })
    }
  }

  /** Reads backwards to our last event, or to the part searched before: others may have written a lot since. */
  const lastOfOurs = async (): Promise<bigint> => {
    let end: bigint | undefined
    let from: typeof END | LogPosition = END
    for (let count = LOOKBACK_EVENTS.first; ; count = Math.min(count * 4, LOOKBACK_EVENTS.most)) {
      const page = await answerOf(() =>
        connection.read((client) => client.readAll({ direction: BACKWARDS, fromPosition: from, maxCount: count })),
      )
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

  /** Never expects "any": only with an exact revision (or none) is an append the same again after a server restart. */
  const sendAppend = async (stream: string, expected: ExpectedRevision, proposed: EventData[]): Promise<Appended> => {
    const send = (client: EventStoreDBClient) =>
      client.appendToStream(stream, proposed, {
        expectedRevision: expected === 'none' ? 'no_stream' : BigInt(expected),
      })
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
        if (error instanceof StreamDeletedError) throw new WrongRevision(stream, expected, 'none')
        if (error instanceof MaxAppendSizeExceededError)
          throw new TypeError(`Too much for one append to ${stream}`, { cause: error })
        const wait = APPEND_RETRIES[tries]
        // Without any answer, trying again would take as long again.
        if (error instanceof Unavailable) throw error
        if (wait === undefined || error instanceof NoResponse || deadline.isOver() || closing.signal.aborted)
          throw new Unavailable(part, { cause: error })
        await delay(jittered(wait))
      }
    }
  }

  return {
    async append(stream, expected, events) {
      checkAppend(stream, expected, events)
      // It would be stored, but no subscription would deliver it.
      if (!isOurs(stream)) throw new TypeError(`Not a stream of this log's prefixes: ${stream}`)
      checkSize(stream, events)
      const proposed = events.map(toProposed)
      refuseClosed()
      return appending.track(sendAppend(stream, expected, proposed))
    },

    async *readStream(stream, from = 0, pageSize = largestPage) {
      for (let next = from; ;) {
        const page = await answerOf(() =>
          connection.read((client) => client.readStream(stream, { fromRevision: BigInt(next), maxCount: pageSize })),
        ).catch((error: unknown) => {
          if (isWithoutEvents(error)) return []
          throw error
        })
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
      const logPosition = after === undefined ? undefined : logPositionOf(after)
      refuseClosed()
      yield* follow(logPosition, { connection, prefixes, batchSize, signal, closed: closing.signal, onDrop })
    },

    async end() {
      const last = await lastOfOurs()
      return last === 0n ? start : toPosition(String(last))
    },

    async checkpointAtEnd() {
      const last = await lastOfOurs()
      return checkpointOf(last === 0n ? beginning : logPositionAfter(last))
    },

    async hidingOrders() {
      refuseClosed()
      return readHidingOrders(connection, isOurs, closing.signal)
    },

    async ready() {
      await answerOf(() => connection.read(readLast))
      // Appends have a client of their own. No stream is at this revision: the refusal is the answer, nothing is written.
      const event = binaryEvent({ type: 'Ready', data: new Uint8Array() })
      await appending.track(sendAppend(`${prefixes[0]}ready`, Number.MAX_SAFE_INTEGER, [event])).catch(unlessRefused)
    },

    async close() {
      const finished = appending.settled()
      closing.abort()
      released ??= finished.then(() => connection.release())
      await released
    },
  }
}

/** A stream that never was, was deleted until its next event, or for ever. */
function isWithoutEvents(error: unknown): boolean {
  return error instanceof StreamNotFoundError || error instanceof StreamDeletedError
}

function unlessRefused(error: unknown): void {
  if (!(error instanceof WrongRevision)) throw error
}
