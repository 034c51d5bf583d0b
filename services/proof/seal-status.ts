import { type EventStore, toPosition } from '#infra/event-store/event-store.ts'
import type { ReadModelStore } from '#infra/read-model-store/read-model-store.ts'
import { type SignedCheckpoint, seals as sealStreams } from './seal.ts'
import type { Repositories } from '#services/event-sourcing/aggregate-repository.ts'
import { readLog } from '#services/event-sourcing/read-log.ts'
import { streamName } from '#services/event-sourcing/aggregate-type.ts'
import { SEALER_CHECKPOINT, SEALS_ID } from './seal-stream.ts'

/** More unsealed events than this are not counted. */
export const MAX_COUNTED = 1_000

/**
 * How far the log is sealed: the newest seal, and how many events are without one, not counting seals themselves. It
 * reads only those.
 */
export async function readSealStatus(parts: {
  readonly repositories: Repositories
  readonly eventStore: Pick<EventStore, 'subscribe'>
  readonly readModelStore: Pick<ReadModelStore, 'checkpoints'>
}): Promise<{ readonly newest: SignedCheckpoint | null; readonly unsealed: number }> {
  const { newest } = (await parts.repositories.of(sealStreams).load(SEALS_ID)).state
  const saved = await parts.readModelStore.checkpoints.load(SEALER_CHECKPOINT)
  const from = newest && saved?.position === toPosition(newest.last) ? saved.checkpoint : undefined
  let unsealed = 0
  for await (const { events } of readLog(parts.eventStore, from)) {
    for (const { stream, position } of events)
      if (Number(position) > Number(newest?.last ?? 0) && stream !== streamName(sealStreams, SEALS_ID)) unsealed += 1
    if (unsealed >= MAX_COUNTED) break
  }
  return { newest, unsealed: Math.min(unsealed, MAX_COUNTED) }
}
