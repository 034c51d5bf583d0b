import { pause } from '#infra/async.ts'
import type { Repositories } from '#services/event-sourcing/aggregate-repository.ts'
import { systemContext } from '#services/event-sourcing/codec/metadata.ts'
import type { Log } from '#services/event-sourcing/process-log.ts'
import type { ReadModels } from '#services/event-sourcing/read-models/read-model-reader.ts'
import { importId } from '#services/modules/ids.ts'
import { expireImport, imports as importStreams } from '../import.ts'
import { importDocuments } from '../import-read-model.ts'

const HOUR = 60 * 60_000
/** How long a preview waits for its confirmation, in ms. */
export const PREVIEW_KEPT = 7 * 24 * HOUR
const AT_ONCE = 200

export interface ExpiryDependencies {
  readonly repositories: Repositories
  readonly readModels: Pick<ReadModels, 'find'>
  readonly now: () => number
  readonly log: Log
}

/** Ends previews that nobody confirms, every hour, until `signal` aborts. */
export async function expirePreviewsRegularly(parts: ExpiryDependencies, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await expirePreviews(parts, signal).catch((error: unknown) =>
      parts.log.error({ err: error }, 'Previews that nobody confirmed could not be ended'),
    )
    await pause(HOUR, signal)
  }
}

/** Ends the previews that nobody confirmed in time. The consumer of imports removes their rows. */
export async function expirePreviews(
  { repositories, readModels, now }: ExpiryDependencies,
  signal: AbortSignal,
): Promise<void> {
  const repository = repositories.of(importStreams)
  const before = now() - PREVIEW_KEPT
  let cursor: string | undefined
  do {
    const page = await readModels.find(importDocuments, { limit: AT_ONCE, ...(cursor && { cursor }) })
    for (const { id, state, previewed } of page.documents) {
      if (signal.aborted) return
      if (state !== 'preview' || previewed.at > before) continue
      await repository.decide(importId.parse(id), systemContext('worker', `expiry of import ${id}`), expireImport)
    }
    cursor = page.next
  } while (cursor !== undefined)
}
