import { z } from 'zod'

/** US dollars in whole cents. */
export const centsAmount = z.int().brand<'Cents'>()
export type Cents = z.infer<typeof centsAmount>

/** Money as events keep it, a decimal string like '-12.50', and as the domain reckons with it: cents. */
export const cents = z.codec(z.string().regex(/^-?\d+\.\d{2}$/), centsAmount, {
  decode: (text) => fromDecimal(text),
  encode: (amount) => toDecimal(amount),
})

export const noMoney = toCents(0)

/** @throws {z.ZodError} when it is no whole number. */
export function toCents(amount: number): Cents {
  return centsAmount.parse(amount)
}

/** '250.00' for 25,000 cents. */
export function toDecimal(amount: number): string {
  const digits = String(Math.abs(amount)).padStart(3, '0')
  return `${amount < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}

function fromDecimal(text: string): number {
  return Number(text.slice(0, -3) + text.slice(-2))
}
