import type { ReadModels } from '#services/event-sourcing/read-models/read-model-reader.ts'
import { payouts } from '#services/trading/accounts/payout-read-model.ts'

/** When the oldest payout was approved whose money is still owed, in ms; null while none is. */
export async function oldestUnpaidOf(readModels: Pick<ReadModels, 'find'>): Promise<number | null> {
  const { documents } = await readModels.find(payouts, {
    where: { 'payment.state': ['open', 'in-batch', 'sent', 'failed', 'returned'] },
    // Of decided ones the order of work begins with the newest.
    sort: { by: 'queue', direction: -1 },
    limit: 1,
  })
  return documents[0]?.decidedAt ?? null
}
