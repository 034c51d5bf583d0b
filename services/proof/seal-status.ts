import { type EventStore, toPosition } from '../../infra/event-store/event-store.ts'
import type { ReadModelStore } from '../../infra/read-model-store/read-model-store.ts'
import type { SealData } from '../domain/seal/seal.ts'
import type { Repositories } from '../event-sourcing/aggregate-repository.ts'
import { seals as sealStreams, streamName } from '../domain/streams.ts'
import { SEALER_CHECKPOINT, SEALS_ID } from './sealer.ts'

/** How far the log is sealed. */
export interface SealStatus {
  readonly newest: SealData | null
  /** Facts that no seal is over yet, without seals themselves; counted up to {@link MAX_COUNTED}. */
  readonly unsealed: number
}

/** More than this is late, however much more it is. */
export const MAX_COUNTED = 1_000

/** Where sealing stands. It reads only what came after the newest seal. */
export async function readSealStatus(parts: {
  readonly repositories: Repositories
  readonly eventStore: Pick<EventStore, 'subscribe'>
  readonly readModelStore: Pick<ReadModelStore, 'checkpoints'>
}): Promise<SealStatus> {
  const { newest } = (await parts.repositories.of(sealStreams).load(SEALS_ID)).state
  const bookmark = await parts.readModelStore.checkpoints.load(SEALER_CHECKPOINT)
  const from = newest && bookmark?.position === toPosition(newest.last) ? bookmark.checkpoint : undefined
  const stopped = new AbortController()
  let unsealed = 0
  for await (const { events, caughtUp } of parts.eventStore.subscribe(from, { signal: stopped.signal })) {
    for (const { stream, position } of events) if (Number(position) > Number(newest?.last ?? 0) && stream !== streamName(sealStreams, SEALS_ID)) unsealed += 1
    if (caughtUp || unsealed >= MAX_COUNTED) stopped.abort()
  }
  return { newest, unsealed: Math.min(unsealed, MAX_COUNTED) }
}
