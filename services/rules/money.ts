import { z } from 'zod'

/**
 * Money: whole cents inside, a decimal string in events and on the wire. It is converted as text, since 0.1 + 0.2 is
 * not 0.3.
 */

/** US dollars in whole cents. */
export const centsAmount = z.int().brand<'Cents'>()
export type Cents = z.infer<typeof centsAmount>

/** Money as events keep it, a decimal string like '-12.50', and as the domain reckons with it: cents. */
export const cents = z.codec(z.string(), z.number().brand<'Cents'>(), {
  decode: (text, payload) => {
    const amount = /\.\d{2}$/.test(text) ? parseMoney(text) : undefined
    if (amount === undefined) payload.issues.push({ code: 'invalid_format', format: 'decimal', input: text })
    return amount ?? Number.NaN
  },
  encode: (amount, payload) => {
    if (Number.isSafeInteger(amount)) return toDecimal(amount)
    payload.issues.push({ code: 'invalid_type', expected: 'int', input: amount })
    return ''
  },
})

export const noMoney = toCents(0)

/** @throws {z.ZodError} when it is no whole number. */
export function toCents(amount: number): Cents {
  // -0 is 0.
  const whole = amount === 0 ? 0 : amount
  // Every amount that is read comes by here: only what is refused needs the schema and its words.
  return isCents(whole) ? whole : centsAmount.parse(whole)
}

function isCents(amount: number): amount is Cents {
  return Number.isSafeInteger(amount)
}

/**
 * '250.00' for 25,000 cents.
 *
 * @throws {RangeError} for anything but a whole number of cents.
 */
export function toDecimal(amount: number): string {
  if (!Number.isSafeInteger(amount)) throw new RangeError(`Not a whole number of cents: ${amount}`)
  const digits = String(Math.abs(amount)).padStart(3, '0')
  return `${amount < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/** The cents of a decimal text with at most two places; undefined for any other text and beyond the safe integers. */
export function parseMoney(text: string): Cents | undefined {
  const decimal = readDecimal(text)
  if (!decimal || decimal.fraction.length > 2) return undefined
  const amount = Number(decimal.whole + decimal.fraction.padEnd(2, '0'))
  return Number.isSafeInteger(amount) ? toCents(decimal.negative ? -amount : amount) : undefined
}

/** @throws {RangeError} for a text that {@link parseMoney} does not read. */
export function centsOf(text: string): Cents {
  const amount = parseMoney(text)
  if (amount === undefined) throw new RangeError(`Not an amount of money: ${text}`)
  return amount
}

interface Decimal {
  readonly negative: boolean
  readonly whole: string
  readonly fraction: string
}

/** The parts of a decimal number written without an exponent; undefined for any other text. */
export function readDecimal(text: string): Decimal | undefined {
  const [match, sign, whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? []
  return match === undefined ? undefined : { negative: sign === '-', whole, fraction }
}

/**
 * Separates thousands in a text of digits. Not by toLocaleString, whose first call takes a browser 30 ms: this runs
 * while the app starts.
 */
export function grouped(digits: string): string {
  return digits.replace(/\B(?=(?:\d{3})+$)/g, ',')
}

/** '$1,250.00' for 125,000 cents, '-$12.50' for a loss. */
export function inDollars(cents: number): string {
  const [whole = '', fraction = ''] = toDecimal(Math.abs(cents)).split('.')
  return `${cents < 0 ? '-' : ''}$${grouped(whole)}.${fraction}`
}
