import type { PayoutMethod } from '../../../services/api/payout-schemas.ts'

/** What a person reads for each payment method (specification §9). */
const labels: Readonly<Record<PayoutMethod, string>> = { bank: 'Bank Transfer', paypal: 'PayPal', crypto: 'Cryptocurrency', skrill: 'Skrill' }

/** Bank Transfer, PayPal, Cryptocurrency or Skrill. */
export function methodLabel(method: PayoutMethod): string {
  return labels[method]
}
