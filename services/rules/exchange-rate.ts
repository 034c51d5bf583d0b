import { readDecimal } from './money.ts'

/** A rate as people type it: euro for one dollar, above 0, with at most 6 places. */
export const ratePattern = /^(?=.*[1-9])\d{1,4}(\.\d{1,6})?$/

/** Cents in another currency, rounded down. @throws {RangeError} for a text that {@link ratePattern} refuses. */
export function exchanged(cents: number, rate: string): number {
  const decimal = ratePattern.test(rate) ? readDecimal(rate) : undefined
  if (!decimal) throw new RangeError(`${rate} is no rate`)
  const millionths = BigInt(decimal.whole + decimal.fraction.padEnd(6, '0'))
  return Number((BigInt(cents) * millionths) / 1_000_000n)
}

/** Euro for one dollar as everybody quotes it: '1 EUR = 1.0850 USD'. */
export function euroQuote(rate: string): string {
  return `1 EUR = ${(1 / Number(rate)).toFixed(4)} USD`
}
