import { euroQuote } from '#services/rules/exchange-rate.ts'
import { grouped } from '#services/rules/money.ts'
import { formatLimit as limitText } from '#services/framework/api/money.ts'

/**
 * US dollars with 2 decimals; $0.00 for invalid numbers (specification §1). Exact for decimal strings of any length.
 * Creating an Intl.NumberFormat would delay the first figure by about 20 ms.
 */
export function formatMoney(amount: string | number | null | undefined): string {
  const text = typeof amount === 'number' ? amount.toFixed(2) : (amount?.trim() ?? '')
  const [match, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? []
  if (match === undefined) return '$0.00'
  const cents = BigInt(whole + fraction.padEnd(2, '0').slice(0, 2)) + (fraction.charAt(2) >= '5' ? 1n : 0n)
  const digits = String(cents).padStart(3, '0')
  return `${cents === 0n ? '' : sign}$${grouped(digits.slice(0, -2))}.${digits.slice(-2)}`
}

/** An amount in the currency of a file: '$6,400.00', '5,888.00 EUR'. */
export function formatAmount(amount: string, currency: 'USD' | 'EUR'): string {
  return currency === 'USD' ? formatMoney(amount) : `${formatMoney(amount).replace('$', '')} ${currency}`
}

/** '995.43 EUR, at 1 EUR = 1.0850 USD' */
export function euroInWords({ amount, rate }: { readonly amount: string; readonly rate: string }): string {
  return `${formatAmount(amount, 'EUR')}, at ${euroQuote(rate)}`
}

/** Whole cents of a decimal text, for drawing; 0 for anything else. */
export function centsOf(amount: string | null | undefined): number {
  const cents = Math.round(Number(amount) * 100)
  return Number.isFinite(cents) ? cents : 0
}

/** An amount in whole cents. */
export function formatCents(cents: number): string {
  return formatMoney(cents / 100)
}

/** An amount in whole cents, short where it is in whole dollars, for charts: '$9,500', '$9,500.50'. */
export function formatDollars(cents: number): string {
  return formatCents(cents).replace(/\.00$/, '')
}

/** A gain or a loss in whole cents, a gain with a plus sign: '+$120.00'. */
export function formatSignedCents(cents: number): string {
  return `${cents > 0 ? '+' : ''}${formatCents(cents)}`
}

/** A limit as people typed it, with separated thousands: '5% / $5,000'. */
export function formatLimit(limit: string | null): string | null {
  return limit === null ? null : limitText(limit)
}

/** The amount, with a plus sign above zero: '+$120.00' (specification §4). */
export function formatProfit(amount: string | null | undefined): string {
  return signOf(amount) === 'profit' ? `+${formatMoney(amount)}` : formatMoney(amount)
}

/** Only amounts above zero are a profit: the specification (§4) shows zero as a loss. */
export function signOf(amount: string | null | undefined): 'profit' | 'loss' {
  return Number(amount) > 0 ? 'profit' : 'loss'
}

/** Above or below zero; undefined for nothing, which is neither good nor bad. */
export function toneOf(amount: string | null | undefined): 'good' | 'bad' | undefined {
  const number = Number(amount)
  return number > 0 ? 'good' : number < 0 ? 'bad' : undefined
}
