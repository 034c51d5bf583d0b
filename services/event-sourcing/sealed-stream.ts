import type { EventStore, StoredEvent } from '#infra/event-store/event-store.ts'
import type { SealedHeads } from './aggregate-repository.ts'
import { ShortStream } from './missing-events.ts'

export interface SealedStreams {
  readonly eventStore: Pick<EventStore, 'readStream'>
  /** Undefined where nothing is known of what was sealed. */
  readonly streamHeads?: SealedHeads
}

/**
 * The stored events of a stream from a revision on, compared with what was sealed of it: for what leaves the log without
 * an aggregate.
 *
 * @throws {ShortStream} when an event is missing, or another is in the place of the last sealed one.
 */
export async function* readSealedStream(
  { eventStore, streamHeads }: SealedStreams,
  stream: string,
  from = 0,
): AsyncGenerator<readonly StoredEvent[]> {
  // One head, taken before the stream is read: what is sealed meanwhile may be newer.
  const sealed = streamHeads?.headOf(stream)
  let next = from
  for await (const page of eventStore.readStream(stream, from)) {
    for (const event of page) {
      const isOther = event.revision === sealed?.revision && !sealed.isOf(event)
      if (event.revision > next || isOther)
        throw new ShortStream(stream, isOther ? event.revision : next - 1, isOther ? event.revision : next)
      next = event.revision + 1
    }
    yield page
  }
  if (sealed && next <= sealed.revision) throw new ShortStream(stream, next - 1, sealed.revision)
}
