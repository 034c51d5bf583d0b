import { regularly } from '#infra/async.ts'
import { systemContext } from '#services/event-sourcing/codec/metadata.ts'
import { pagesOf } from '#services/event-sourcing/read-models/read-model-reader.ts'
import type { TimeParts } from '#services/trading/parts.ts'
import { importId } from '#services/framework/ids.ts'
import { expireImport, importStreams } from '../import.ts'
import { importDocuments } from '../import-read-model.ts'

const HOUR = 60 * 60_000
/** How long a preview waits for its confirmation, in ms. */
export const PREVIEW_KEPT = 7 * 24 * HOUR
const AT_ONCE = 200

/** Ends previews that nobody confirms, every hour, until `signal` aborts. */
export async function expirePreviewsRegularly(parts: TimeParts, signal: AbortSignal): Promise<void> {
  await regularly(
    HOUR,
    () => expirePreviews(parts, signal),
    (error) => parts.log.error({ err: error }, 'Previews that nobody confirmed could not be ended'),
    signal,
  )
}

/** Ends the previews that nobody confirmed in time. The consumer of imports removes their rows. */
export async function expirePreviews({ repositories, readModels, now }: TimeParts, signal: AbortSignal): Promise<void> {
  const repository = repositories.of(importStreams)
  const where = { state: 'preview', 'previewed.at': { from: 0, to: now() - PREVIEW_KEPT } }
  for await (const page of pagesOf(readModels, importDocuments, { where, limit: AT_ONCE }))
    for (const { id } of page) {
      if (signal.aborted) return
      await repository.decide(importId.parse(id), systemContext('worker', `expiry of import ${id}`), expireImport)
    }
}
