import { z } from 'zod'
import { toDecimal } from './decimal.ts'

/** US dollars in whole cents. */
export const centsAmount = z.int().brand<'Cents'>()
export type Cents = z.infer<typeof centsAmount>

/** Money as events keep it, a decimal string like '-12.50', and as the domain reckons with it: cents. */
export const cents = z.codec(z.string(), z.number().brand<'Cents'>(), {
  decode: (text, payload) => {
    const amount = decimal.test(text) ? fromDecimal(text) : Number.NaN
    if (!Number.isSafeInteger(amount)) payload.issues.push({ code: 'invalid_format', format: 'decimal', input: text })
    return amount
  },
  encode: (amount, payload) => {
    if (Number.isSafeInteger(amount)) return toDecimal(amount)
    payload.issues.push({ code: 'invalid_type', expected: 'int', input: amount })
    return ''
  },
})

const decimal = /^-?\d+\.\d{2}$/

export const noMoney = toCents(0)

/** @throws {z.ZodError} when it is no whole number. */
export function toCents(amount: number): Cents {
  // -0 is 0.
  return centsAmount.parse(amount === 0 ? 0 : amount)
}

function fromDecimal(text: string): number {
  // '-0.00' is plain 0.
  return Number(text.slice(0, -3) + text.slice(-2)) || 0
}
