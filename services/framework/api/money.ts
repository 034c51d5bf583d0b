import { z } from 'zod'
import { ratePattern } from '#services/rules/exchange-rate.ts'
import { centsOf, grouped, readDecimal } from '#services/rules/money.ts'
import { component, components, described } from './openapi-component.ts'

/** Money in requests and answers: a decimal string on the wire, whole cents inside. */

/** Money in an answer: always two places, a minus sign below zero. */
export const Money = component('Money', z.string().regex(/^-?\d+\.\d{2}$/), "US dollars, such as '250.00' or '-12.50'")

export interface MoneyLimits {
  /** The subject of its messages: 'Amount'. */
  readonly subject: string
  /**
   * The largest amount in whole dollars, a power of ten. The smallest is its negative, or one cent when only positive
   * amounts are allowed.
   */
  readonly most: number
  readonly positive?: boolean
}

/**
 * Money in a request: a decimal string (or a JSON number, by its shortest decimal text) that becomes cents. One pattern
 * defines what is valid, here and in the OpenAPI document.
 */
export function money(limits: MoneyLimits) {
  const { most, positive = false } = limits
  const pattern = amountPattern(limits)
  const refused = { error: ({ input }: { readonly input?: unknown }) => refusalOf(input, limits), abort: true }
  const text = z.string().regex(pattern, refused)
  const number = z.number().refine((value) => pattern.test(decimalText(value)), refused)
  components.add(number, { minimum: positive ? 0.01 : -most, maximum: most, multipleOf: 0.01 })
  const amount = z.union([text, number], refused).transform((value) => centsOf(asText(value)))
  const range = positive ? 'above 0' : `from -${dollars(most)}`
  return described(
    `US dollars with at most 2 decimal places, ${range} up to ${dollars(most)}; as text, such as '250.00'`,
    amount,
  )
}

const badRate = { error: 'Please enter euro for one dollar, with at most 6 decimal places', abort: true }

const rateNumber = z.number().refine((value) => ratePattern.test(decimalText(value)), badRate)
components.add(rateNumber, { minimum: 0.000001, maximum: 9999.999999, multipleOf: 0.000001 })

/** Euro for one dollar: a decimal string (or a JSON number) that stays a text. */
export const exchangeRate = z.union([z.string().regex(ratePattern, badRate), rateNumber], badRate).transform(asText)

function asText(value: string | number): string {
  return typeof value === 'number' ? decimalText(value) : value
}

/** At most two decimal places, up to the largest amount. */
function amountPattern({ most, positive = false }: MoneyLimits): RegExp {
  const digits = String(most).length - 1
  if (most !== 10 ** digits) throw new RangeError(`The largest amount must be a power of ten: ${most}`)
  return new RegExp(
    `^${positive ? '(?=.*[1-9])' : '-?'}0*(?:[0-9]{1,${digits}}(?:\\.[0-9]{1,2})?|${most}(?:\\.0{1,2})?)$`,
  )
}

/** The message for an invalid amount. */
function refusalOf(value: unknown, { subject, most, positive = false }: MoneyLimits): string {
  const decimal = typeof value === 'string' || typeof value === 'number' ? readDecimal(asText(value)) : undefined
  if (!decimal) return `${subject} must be a valid number`
  if (positive && (decimal.negative || !/[1-9]/.test(decimal.whole + decimal.fraction)))
    return `${subject} must be greater than 0`
  if (decimal.fraction.length > 2) return `${subject} must have at most 2 decimal places`
  return decimal.negative
    ? `${subject} must be at least -${dollars(most)}`
    : `${subject} must be at most ${dollars(most)}`
}

/** The shortest decimal text that reads back as this number, written out where JavaScript would use an exponent. */
export function decimalText(value: number): string {
  const [digits = '', exponent] = String(Math.abs(value)).split('e')
  const sign = value < 0 ? '-' : ''
  if (exponent === undefined) return sign + digits
  const [whole = '', fraction = ''] = digits.split('.')
  const shift = Number(exponent)
  // Exponents appear from 1e21 and 1e-7 on, so all digits of the fraction end up on one side of the point.
  return sign + (shift > 0 ? whole + fraction.padEnd(shift, '0') : `0.${'0'.repeat(-shift - 1)}${whole}${fraction}`)
}

/**
 * Free text with amounts, such as a limit (specification §3): thousands are separated as in all money, '5% / $5,000'.
 * Just a number is an amount.
 */
export function formatLimit(limit: string): string {
  const [, whole, fraction = ''] = /^(\d+)(?:\.(\d{1,2}))?$/.exec(limit.trim()) ?? []
  if (whole !== undefined) return `$${grouped(whole)}.${fraction.padEnd(2, '0')}`
  return limit.replace(/\$\d{4,}(?![\d,])/g, (amount) => `$${grouped(amount.slice(1))}`)
}

function dollars(whole: number): string {
  return grouped(String(whole))
}
