import type { Checkpoint, EventBatch, EventStore } from '#infra/event-store/event-store.ts'

/** The batches of a log after a checkpoint (or all), up to its present end. */
export async function* readLog(
  eventStore: Pick<EventStore, 'subscribe'>,
  after?: Checkpoint,
  options?: { readonly batchSize: number },
): AsyncGenerator<EventBatch, undefined> {
  const stopped = new AbortController()
  for await (const batch of eventStore.subscribe(after, { ...options, signal: stopped.signal })) {
    yield batch
    if (batch.caughtUp) stopped.abort()
  }
}
