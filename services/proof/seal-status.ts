import { type EventStore, toPosition } from '#infra/event-store/event-store.ts'
import type { ReadModelStore } from '#infra/read-model-store/read-model-store.ts'
import { SEALER_CHECKPOINT, SEALS_STREAM, type Seals, loadSeals } from './seal.ts'
import type { Repositories } from '#services/event-sourcing/aggregate-repository.ts'
import { isAuthentic } from '#services/event-sourcing/codec/event-authentication.ts'
import { readLog } from '#services/event-sourcing/read-log.ts'
import { keyIdOf } from './signed-texts.ts'
import { beginningOf } from './stored-event-bytes.ts'

/** More unsealed events than this are not counted. */
export const MAX_COUNTED = 1_000

export interface SealStatusDependencies {
  readonly repositories: Repositories
  readonly eventStore: Pick<EventStore, 'subscribe'>
  readonly readModelStore: Pick<ReadModelStore, 'checkpoints'>
}

export interface SealStatus {
  readonly newest: Seals['newest']
  /** Events without a seal, not counting seals themselves. */
  readonly unsealed: number
  /** When the oldest of them was recorded, ms since 1970. */
  readonly unsealedSince: number | undefined
}

/** How far the log is sealed. It reads only what is not. */
export async function readSealStatus(parts: SealStatusDependencies): Promise<SealStatus> {
  const { newest, keys } = await loadSeals(parts.repositories)
  const saved = await parts.readModelStore.checkpoints.load(SEALER_CHECKPOINT)
  const from = newest && saved?.position === toPosition(newest.last) ? saved.checkpoint : undefined
  let unsealed = 0
  let unsealedSince: number | undefined
  for await (const { events } of readLog(parts.eventStore, from)) {
    for (const event of events) {
      // An event that the portal did not append is never sealed.
      if (Number(event.position) <= Number(newest?.last ?? 0) || event.stream === SEALS_STREAM || !isAuthentic(event))
        continue
      unsealed += 1
      unsealedSince ??= beginningOf(event.metadata).at
    }
    if (unsealed >= MAX_COUNTED) break
  }
  const key = keys.find(({ id }) => id === newest?.keyId)
  // People compare the id by which readers trust it.
  const shown = newest && key ? { ...newest, keyId: await keyIdOf(key.publicKey) } : newest
  return { newest: shown, unsealed: Math.min(unsealed, MAX_COUNTED), unsealedSince }
}
