import { ratePattern } from '#services/rules/exchange-rate.ts'
import { readDecimal } from '#services/rules/money.ts'

const PLACES = 6
const ONE = 10n ** BigInt(PLACES)

/**
 * Euro for one dollar, with at most 6 places, from dollars for one euro as they are typed; a decimal comma is one.
 * Undefined for what is no rate.
 */
export function euroForDollar(typed: string): string | undefined {
  const text = typed.trim().replace(',', '.')
  const decimal = ratePattern.test(text) ? readDecimal(text) : undefined
  if (!decimal) return undefined
  const dollars = BigInt(decimal.whole + decimal.fraction.padEnd(PLACES, '0'))
  const euro = (2n * ONE * ONE + dollars) / (2n * dollars)
  const digits = String(euro).padStart(PLACES + 1, '0')
  const rate = `${digits.slice(0, -PLACES)}.${digits.slice(-PLACES)}`.replace(/\.?0+$/, '')
  return ratePattern.test(rate) ? rate : undefined
}
