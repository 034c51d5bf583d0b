import { z } from 'zod'
import { centsOf } from './money.ts'
import { exactly, part, type Exact, percentOf } from './exact.ts'

/**
 * How programmes and observations write amounts. "Money is integer cents inside, a decimal string outside, percentages
 * are decimal strings." (rules.md)
 */

const text = (pattern: RegExp, expectation: string) => z.string(expectation).regex(pattern, expectation)

/** Up to ten billion, so that sums stay exact. */
export const money = text(/^(0|[1-9]\d{0,9})\.\d{2}$/, 'expected an amount like "2000.00"')

export const anyMoney = text(
  /^(?!-0\.00$)-?(0|[1-9]\d{0,9})\.\d{2}$/,
  'expected an amount like "2000.00" or "-2000.00"',
).transform((amount) => centsOf(amount))

/** A part of something that may be more than the whole: a target of 150 percent. */
const percent = text(/^(0|[1-9]\d{0,3})(\.\d{1,8})?$/, 'expected a percentage like "5" or "2.5"')

/** A part of something that is at most the whole. */
export const percentage = text(
  /^(100(\.0{1,8})?|[1-9]?\d(\.\d{1,8})?)$/,
  'expected a percentage from "0" to "100", like "2.5"',
)

/** `{ "amount": "2000.00" }` or `{ "percent": "5", "of": … }`. */
export function amountOf<const Of extends string>(...of: [Of, ...Of[]]) {
  return z.union([z.strictObject({ amount: money }), z.strictObject({ percent, of: z.enum(of) })], {
    error: `expected { "amount": "2000.00" } or { "percent": "5", "of": ${of.map((name) => `"${name}"`).join(' or ')} }`,
  })
}

export const amount = amountOf('account-size')

/** The amount, where a percentage is part of `whole`. */
export function valueOf(terms: AmountTerms, whole: number): Exact {
  return valueFor(terms)(whole)
}

/** The amount for any whole. */
export function valueFor(terms: AmountTerms): (whole: number) => Exact {
  if ('amount' in terms) {
    const fixed = exactly(centsOf(terms.amount))
    return () => fixed
  }
  const ofWhole = percentOf(terms.percent)
  return (whole) => part(ofWhole, whole)
}

type AmountTerms = { readonly amount: string } | { readonly percent: string }

/** A number of days, payouts or trades. */
export const count = z
  .int('expected a whole number')
  .min(0, 'expected 0 or more')
  .max(1_000_000, 'expected at most 1000000')
export const positiveCount = count.min(1, 'expected 1 or more')

/** One of these words. */
export function oneOf<const Word extends string>(...words: [Word, ...Word[]]) {
  return z.enum(words, { error: `expected ${words.map((word) => `"${word}"`).join(' or ')}` })
}
