import { toDecimal } from '#services/rules/money.ts'
import type { PayoutMethod } from '#services/trading/stream/payout.ts'
import { coinPaid, type OrderedPayment, type PaymentOrder } from './payment-order.ts'
import { textWorkbook } from './text-workbook.ts'

/** The file for people, beside the one for programs: everything about each payment, as it is, in a spreadsheet. */

/** Hashes of released files rest on these words: they never change. */
const columns = {
  reference: 'Reference',
  amount: 'Amount',
  currency: 'Currency',
  method: 'Method',
  holder: 'Account holder',
  iban: 'IBAN',
  accountNumber: 'Account number',
  bic: 'BIC',
  bankName: 'Bank',
  email: 'Email',
  network: 'Network',
  coin: 'Coin',
  address: 'Wallet address',
  details: "In the trader's words",
} as const
const methods: Readonly<Record<PayoutMethod, string>> = {
  bank: 'Bank transfer',
  paypal: 'PayPal',
  crypto: 'Cryptocurrency',
  skrill: 'Skrill',
}

/** The same order gives the same bytes. */
export function peopleFile(order: PaymentOrder): Uint8Array {
  const rows = order.payments.map((payment) => {
    const cells = cellsOf(payment, order)
    return Object.keys(columns).map((column) => cells[column] ?? '')
  })
  return textWorkbook('Payments', [Object.values(columns), ...rows])
}

function cellsOf(
  { reference, amount, method, destination, details }: OrderedPayment,
  { format, currency }: PaymentOrder,
): Readonly<Record<string, string | undefined>> {
  // Who pays by a plain list chooses the coin where the trader did not.
  const coin =
    format === 'crypto' && destination && 'network' in destination ? coinPaid(currency, destination) : undefined
  return {
    ...{ reference, amount: toDecimal(amount), currency, method: methods[method], coin },
    ...destination,
    details,
  }
}
