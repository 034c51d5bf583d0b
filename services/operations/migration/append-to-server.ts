import type { EventStore, EventToAppend, StoredEvent } from '../../../infra/event-store/event-store.ts'
import type { LogCopy } from '../../../infra/event-store/sqlite-copy.ts'
import { withRetries } from './copy-log.ts'

/** What one append holds at most: well below what EventStoreDB takes. */
const MAX_BATCH_SIZE = { facts: 100, bytes: 500_000 }

/**
 * A copy in a store that gives positions by itself. Facts are appended one stretch of a stream after the other, each with its
 * exact revision and its own ids: the order of the log stays, and what was sent twice is there once.
 */
export function createAppendingCopy(store: EventStore): LogCopy {
  return {
    store,
    async add(facts) {
      for (const stretch of runsByStream(facts)) {
        const [first] = stretch
        if (!first) continue
        const events = stretch.map(({ id, type, data, metadata }): EventToAppend => ({ id, type, data, metadata }))
        await withRetries(() => store.append(first.stream, first.revision === 0 ? 'none' : first.revision - 1, events))
      }
    },
    close: async () => {},
  }
}

/** Neighbours in the log that are of one stream. */
function* runsByStream(facts: readonly StoredEvent[]): Generator<readonly StoredEvent[]> {
  let stretch: StoredEvent[] = []
  let bytes = 0
  for (const fact of facts) {
    const size = Buffer.byteLength(fact.data) + Buffer.byteLength(fact.metadata)
    if (stretch.length > 0 && (stretch[0]?.stream !== fact.stream || stretch.length >= MAX_BATCH_SIZE.facts || bytes + size > MAX_BATCH_SIZE.bytes)) {
      yield stretch
      stretch = []
      bytes = 0
    }
    stretch.push(fact)
    bytes += size
  }
  yield stretch
}
