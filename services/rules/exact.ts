import { toDecimal } from './money.ts'

/**
 * Exact products of amounts and percentages. "Products are exact and rounded once: what limits or has to be reached up
 * to the cent, what is paid out down." (rules.md)
 */

/** An amount that may end within a cent: whole cents, and a rest of 0 to 1 cent in units of 10^-10 cents. */
export interface Exact {
  readonly cents: number
  readonly rest: number
}

const UNITS = 10_000_000_000

/** A percentage, as numerator of a fraction: '12.5' is 125 of 1,000. */
export interface Percent {
  readonly numerator: number
  readonly scale: number
}

/** Reads a percentage of at most eight places. The schemas refuse all others. */
export function percentOf(text: string): Percent {
  const [whole = '', fraction = ''] = text.split('.')
  return { numerator: Number(whole + fraction), scale: 10 ** (2 + fraction.length) }
}

export function exactly(cents: number): Exact {
  return { cents, rest: 0 }
}

/** `percent` of an amount. */
export function part({ numerator, scale }: Percent, cents: number): Exact {
  const product = cents * numerator
  if (!Number.isSafeInteger(product)) {
    const large = BigInt(cents) * BigInt(numerator)
    const rest = modulo(large, BigInt(scale))
    return { cents: Number((large - rest) / BigInt(scale)), rest: Number(rest) * (UNITS / scale) }
  }
  const remainder = product % scale
  const rest = remainder < 0 ? remainder + scale : remainder
  return { cents: (product - rest) / scale, rest: rest * (UNITS / scale) }
}

export function minus(one: Exact, other: Exact): Exact {
  const rest = one.rest - other.rest
  return rest < 0
    ? { cents: one.cents - other.cents - 1, rest: rest + UNITS }
    : { cents: one.cents - other.cents, rest }
}

export function plus(one: Exact, other: Exact): Exact {
  const rest = one.rest + other.rest
  return rest >= UNITS
    ? { cents: one.cents + other.cents + 1, rest: rest - UNITS }
    : { cents: one.cents + other.cents, rest }
}

/** Below 0 where `one` is less, above 0 where it is more. */
export function compare(one: Exact, other: Exact): number {
  return one.cents - other.cents || one.rest - other.rest
}

export const nothing: Exact = { cents: 0, rest: 0 }

export function isNothing({ cents, rest }: Exact): boolean {
  return cents === 0 && rest === 0
}

export function most(one: Exact, other: Exact): Exact {
  return compare(one, other) >= 0 ? one : other
}

export function least(one: Exact, other: Exact): Exact {
  return compare(one, other) <= 0 ? one : other
}

export function up({ cents, rest }: Exact): number {
  return rest > 0 ? cents + 1 : cents
}

export function down({ cents }: Exact): number {
  return cents
}

/**
 * A whole number that can be larger than any amount: a `bigint` beyond the safe integers, so that it is exact and mostly
 * quick.
 */
export type Whole = number | bigint

/** The sum, exact. */
export function added(whole: Whole, cents: number): Whole {
  const sum = typeof whole === 'number' ? whole + cents : null
  return sum !== null && Number.isSafeInteger(sum) ? sum : BigInt(whole) + BigInt(cents)
}

/** `amount` as percent of `whole`, half up, with two places: '46.15'. */
export function shareShown(amount: Exact, whole: Exact): string {
  if (amount.rest === 0 && whole.rest === 0) {
    const double = amount.cents * 20_000 + whole.cents
    if (Number.isSafeInteger(double) && double >= 0)
      return toDecimal((double - (double % (2 * whole.cents))) / (2 * whole.cents))
  }
  const [part, all] = [inUnits(amount), inUnits(whole)]
  const twice = part * 20_000n + all
  return decimal((twice - modulo(twice, 2n * all)) / (2n * all))
}

/** Whether `amount` is at most `percent` of `whole`. */
export function isWithin(percent: Percent, amount: Exact, whole: Exact): boolean {
  if (amount.rest === 0 && whole.rest === 0) return compare(amount, part(percent, whole.cents)) <= 0
  return inUnits(amount) * BigInt(percent.scale) <= inUnits(whole) * BigInt(percent.numerator)
}

/** The whole of which `amount` is `percent`, rounded up: what has to be reached. It can be larger than any amount. */
export function wholeOf({ numerator, scale }: Percent, { cents, rest }: Exact): Whole {
  const small = cents * scale
  if (rest === 0 && Number.isSafeInteger(small + numerator) && small >= 0) {
    const padded = small + numerator - 1
    return (padded - (padded % numerator)) / numerator
  }
  const product = inUnits({ cents, rest }) * BigInt(scale)
  const whole = BigInt(numerator) * BigInt(UNITS)
  return (product + whole - 1n) / whole
}

/** `percent` of an amount that may end within a cent, down to the smallest unit. */
export function partOf(percent: Percent, amount: Exact): Exact {
  if (amount.rest === 0) return part(percent, amount.cents)
  const product = inUnits(amount) * BigInt(percent.numerator)
  const scale = BigInt(percent.scale)
  return fromUnits((product - modulo(product, scale)) / scale)
}

function inUnits({ cents, rest }: Exact): bigint {
  return BigInt(cents) * BigInt(UNITS) + BigInt(rest)
}

function fromUnits(units: bigint): Exact {
  const rest = modulo(units, BigInt(UNITS))
  return { cents: Number((units - rest) / BigInt(UNITS)), rest: Number(rest) }
}

/** '250.00' for 25,000 cents, of any size. */
export function decimal(cents: Whole): string {
  if (typeof cents === 'number') return toDecimal(cents)
  const digits = String(cents < 0n ? -cents : cents).padStart(3, '0')
  return `${cents < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/** The remainder that is never negative. */
function modulo(value: bigint, divisor: bigint): bigint {
  const remainder = value % divisor
  return remainder < 0n ? remainder + divisor : remainder
}
