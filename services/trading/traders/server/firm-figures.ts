import type { ReadModels } from '#services/event-sourcing/read-models/read-model-reader.ts'
import { emptyFirm, FIRM, type FirmDocument, firm } from '#services/trading/traders/firm-read-model.ts'

/** The counts and sums of the whole firm; zeros before its first event. */
export async function firmFigures(readModels: Pick<ReadModels, 'get'>): Promise<FirmDocument> {
  return (await readModels.get(firm, FIRM)) ?? emptyFirm
}
