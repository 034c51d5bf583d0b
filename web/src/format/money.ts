import { grouped } from './counts.ts'

/**
 * US dollars with 2 decimals; what is no number shows $0.00 (specification §1). Exact for decimal strings of any length.
 * Not by Intl.NumberFormat: a browser takes some 20 ms to make its first, before the first figure is shown.
 */
export function formatMoney(amount: string | number | null | undefined): string {
  const text = typeof amount === 'number' ? amount.toFixed(2) : (amount?.trim() ?? '')
  const [match, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? []
  if (match === undefined) return '$0.00'
  const cents = BigInt(whole + fraction.padEnd(2, '0').slice(0, 2)) + (fraction.charAt(2) >= '5' ? 1n : 0n)
  const digits = String(cents).padStart(3, '0')
  return `${cents === 0n ? '' : sign}$${grouped(digits.slice(0, -2))}.${digits.slice(-2)}`
}

/** The amount with its sign in front when it is above zero: '+$120.00' (specification §4). */
export function formatProfit(amount: string | null | undefined): string {
  return signOf(amount) === 'profit' ? `+${formatMoney(amount)}` : formatMoney(amount)
}

/** Only what is above zero is a profit: zero is shown as a loss, to the letter of the specification (§4). */
export function signOf(amount: string | null | undefined): 'profit' | 'loss' {
  return Number(amount) > 0 ? 'profit' : 'loss'
}
