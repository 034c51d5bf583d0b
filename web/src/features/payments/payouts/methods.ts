import { payoutMethodLabels, payoutMethods } from '#services/trading/stream/payout-vocabulary.ts'
import { optionsOf } from '#services/framework/api/options.ts'
import type { PayoutMethod } from '#services/trading/stream/payout-fields.ts'

/** Payment methods and the details each requires (specification §9). */

export const methodOptions = optionsOf(payoutMethods, payoutMethodLabels)

const field = <Type extends 'email' | 'text' | 'lines'>(placeholder: string, type: Type, hint = placeholder) => ({
  label: `Payment Details (${hint})`,
  placeholder,
  type,
})

export const detailsFields = {
  bank: field('Bank name, account number, SWIFT/BIC', 'lines', 'bank name, account number, SWIFT/BIC'),
  paypal: field('PayPal email', 'email'),
  crypto: field('Wallet address', 'text', 'wallet address'),
  skrill: field('Skrill email', 'email'),
} as const satisfies Record<PayoutMethod, unknown>

/** The label of a method; an unknown one is shown as it is. */
export function methodName(method: string): string {
  const known = methodOf(method)
  return known ? payoutMethodLabels[known] : method
}

/** The method that was chosen, if any was. */
export function methodOf(value: string | undefined): PayoutMethod | undefined {
  return payoutMethods.find((method) => method === value)
}
