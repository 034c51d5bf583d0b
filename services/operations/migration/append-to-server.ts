import type { EventStore, EventToAppend, StoredEvent } from '#infra/event-store/event-store.ts'
import type { LogCopy } from '#infra/event-store/sqlite-copy.ts'
import { retryUnavailable } from '#infra/failures.ts'

/** The most of one append: well below the limits of EventStoreDB. */
const MAX_BATCH_SIZE = { events: 100, bytes: 500_000 }
/** Waits in ms before an append is repeated. */
const RETRY_DELAYS = [200, 1_000, 3_000, 10_000]

/**
 * A copy in a store that assigns positions itself. Consecutive events of a stream are appended together, with their
 * exact revision and their own ids: the order of the log stays, and a repeated append adds nothing.
 */
export function createAppendingCopy(store: EventStore): LogCopy {
  return {
    store,
    async add(batch) {
      for (const run of runsByStream(batch)) {
        const [first] = run
        if (!first) continue
        const events = run.map(({ id, type, data, metadata }): EventToAppend => ({ id, type, data, metadata }))
        await retryUnavailable(RETRY_DELAYS, () =>
          store.append(first.stream, first.revision === 0 ? 'none' : first.revision - 1, events),
        )
      }
    },
    close: async () => {},
  }
}

/** Runs of consecutive events of one stream. */
function* runsByStream(events: readonly StoredEvent[]): Generator<readonly StoredEvent[]> {
  let run: StoredEvent[] = []
  let bytes = 0
  for (const event of events) {
    const size = Buffer.byteLength(event.data) + Buffer.byteLength(event.metadata)
    if (
      run.length > 0 &&
      (run[0]?.stream !== event.stream || run.length >= MAX_BATCH_SIZE.events || bytes + size > MAX_BATCH_SIZE.bytes)
    ) {
      yield run
      run = []
      bytes = 0
    }
    run.push(event)
    bytes += size
  }
  yield run
}
