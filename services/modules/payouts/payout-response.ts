import { isoTime } from '#services/modules/event-description.ts'
import { toDecimal } from '#services/money/money.ts'
import type { Payout } from './payout.ts'

/** The fields of a payout in every answer, under the names of the specification (§7). */
export function payoutFields({
  id,
  amount,
  method,
  details,
  status,
  notes,
  shares,
  deducted,
  hold,
  requestedAt,
  decidedAt,
}: Omit<Payout, 'firstApproval'>) {
  return {
    id,
    amount: toDecimal(amount),
    paymentMethod: method,
    paymentDetails: details,
    status,
    adminNotes: notes || null,
    traderReceives: shares && toDecimal(shares.trader),
    firmKeeps: shares && toDecimal(shares.firm),
    deducted,
    hold: hold && { reason: hold.reason, at: isoTime(hold.at) },
    createdAt: isoTime(requestedAt),
    decidedAt: decidedAt === null ? null : isoTime(decidedAt),
  }
}
