import { payoutMethodLabels, PayoutMethod } from '../../../../services/api/payout-schemas.ts'

/** Ways to be paid, and what each needs to know (specification §9). */

export const methodOptions = PayoutMethod.options.map((value) => ({ value, label: payoutMethodLabels[value] }))

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

/** What a person calls a method; another one is shown as it stands. */
export function methodName(method: string): string {
  const { data } = PayoutMethod.safeParse(method)
  return data ? payoutMethodLabels[data] : method
}

/** The method that was chosen, if any was. */
export function methodOf(value: string | undefined): PayoutMethod | undefined {
  return PayoutMethod.options.find((method) => method === value)
}
