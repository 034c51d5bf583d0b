import { isoTime } from '#services/framework/event-description.ts'
import { toDecimal } from '#services/rules/money.ts'
import { destinationText } from '#services/trading/stream/destination.ts'
import type { Payment } from '#services/trading/stream/payment.ts'
import type { Payout } from '#services/trading/stream/payout.ts'

/** The fields of a payout in every answer, under the names of the specification (§7). */
export function payoutFields({
  id,
  amount,
  method,
  details,
  destination,
  status,
  notes,
  shares,
  deducted,
  hold,
  payment,
  requestedAt,
  decidedAt,
}: Omit<Payout, 'firstApproval' | 'holdChangedAt' | 'holdRevision' | 'attempts'>) {
  return {
    id,
    amount: toDecimal(amount),
    paymentMethod: method,
    paymentDetails: destinationText(details, destination),
    destination,
    status,
    adminNotes: notes || null,
    traderReceives: shares && toDecimal(shares.trader),
    firmKeeps: shares && toDecimal(shares.firm),
    deducted,
    payment: payment && paymentFields(payment),
    hold: hold && { reason: hold.reason, at: isoTime(hold.at) },
    createdAt: isoTime(requestedAt),
    decidedAt: decidedAt === null ? null : isoTime(decidedAt),
  }
}

function paymentFields({ state, reference, batch, reason, at }: Omit<Payment, 'owedAs'>) {
  return { state, reference, batch, reason: reason || null, at: isoTime(at) }
}
