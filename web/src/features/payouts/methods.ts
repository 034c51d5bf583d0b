import type { PayoutMethod } from '../../../../services/api/payout-schemas.ts'
import { optionsOf, payoutMethodLabels, payoutMethods } from '../../../../services/api/vocabulary.ts'

/** Payment methods and the details each requires (specification §9). */

export const methodOptions = optionsOf(payoutMethods, payoutMethodLabels)

interface DetailsField {
  readonly label: string
  readonly placeholder: string
  readonly type: 'email' | 'text' | 'lines'
}

export const detailsFields: Readonly<Record<PayoutMethod, DetailsField>> = {
  bank: { label: 'Payment Details (bank name, account number, SWIFT/BIC)', placeholder: 'Bank name, account number, SWIFT/BIC', type: 'lines' },
  paypal: { label: 'Payment Details (PayPal email)', placeholder: 'PayPal email', type: 'email' },
  crypto: { label: 'Payment Details (wallet address)', placeholder: 'Wallet address', type: 'text' },
  skrill: { label: 'Payment Details (Skrill email)', placeholder: 'Skrill email', type: 'email' },
}

/** The label of a method; an unknown one is shown as it is. */
export function methodName(method: string): string {
  const known = methodOf(method)
  return known ? payoutMethodLabels[known] : method
}

/** The method that was chosen, if any was. */
export function methodOf(value: string | undefined): PayoutMethod | undefined {
  return payoutMethods.find((method) => method === value)
}
