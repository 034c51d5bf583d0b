import { type EventStore, toPosition } from '../../infra/event-store/event-store.ts'
import type { ViewStore } from '../../infra/read-model-store/read-model-store.ts'
import type { SealedFacts } from '../domain/seal/seal.ts'
import type { Journal } from '../event-sourcing/aggregate-repository.ts'
import { seals as sealStreams, streamName } from '../domain/streams.ts'
import { BOOKMARK, SEALS } from './sealer.ts'

/** How far the log is sealed. */
export interface SealingState {
  readonly newest: SealedFacts | null
  /** Facts that no seal is over yet, without seals themselves; counted up to {@link MOST_COUNTED}. */
  readonly unsealed: number
}

/** More than this is late, however much more it is. */
export const MOST_COUNTED = 1_000

/** Where sealing stands. It reads only what came after the newest seal. */
export async function sealingState(parts: {
  readonly journal: Journal
  readonly eventStore: Pick<EventStore, 'subscribe'>
  readonly viewStore: Pick<ViewStore, 'progress'>
}): Promise<SealingState> {
  const { newest } = (await parts.journal.of(sealStreams).load(SEALS)).state
  const bookmark = await parts.viewStore.progress(BOOKMARK)
  const from = newest && bookmark?.position === toPosition(newest.last) ? bookmark.checkpoint : undefined
  const stopped = new AbortController()
  let unsealed = 0
  for await (const { events, caughtUp } of parts.eventStore.subscribe(from, { signal: stopped.signal })) {
    for (const { stream, position } of events) if (Number(position) > Number(newest?.last ?? 0) && stream !== streamName(sealStreams, SEALS)) unsealed += 1
    if (caughtUp || unsealed >= MOST_COUNTED) stopped.abort()
  }
  return { newest, unsealed: Math.min(unsealed, MOST_COUNTED) }
}
