import type { DecimalMark } from '../../statement-vocabulary.ts'

/** Numbers of statements. They are exact: cents come last, by one rounding. */

/** `units` are of 10 to the power of minus `decimals`. */
export interface Decimal {
  readonly units: bigint
  readonly decimals: number
}

export const zero: Decimal = { units: 0n, decimals: 0 }

const GROUPS = " \u00A0\u2009\u202F'\u2019"
/** Signs, currencies and brackets around a number. */
const FRAME =
  /^([-+\u2212]?)\s?(\p{Sc}?)\s?(\(?)\s?([-+\u2212]?)\s?(\p{Sc}?)\s?([\d.,].*?|\d)\s?(\p{Sc}?)(\)?)\s?(\p{Sc}?)$/u

/** Most numbers of most files. */
const PLAIN = /^(-?)(\d{1,20})(?:([.,])(\d{1,20}))?$/

const bodies = { '.': bodyPattern('\\.', ','), ',': bodyPattern(',', '\\.') } as const

/** Thousands stand each in their place, parted by one and the same character, or not at all. */
function bodyPattern(mark: string, other: string): RegExp {
  return new RegExp(
    `^(?:(\\d{1,20})|([1-9]\\d{0,2}(?:([${other}${GROUPS}])\\d{3})(?:\\3\\d{3}){0,5}))(?:${mark}(\\d{1,20}))?$`,
  )
}

/** A number as a file writes it; null for what is none under this decimal mark. */
export function decimalIn(cell: string, mark: DecimalMark): Decimal | null {
  const [plainly, sign, whole = '', point = mark, part = ''] = PLAIN.exec(cell) ?? []
  if (plainly !== undefined && point === mark) return { units: BigInt(`${sign}${whole}${part}`), decimals: part.length }
  const framed = unframed(cell)
  if (!framed) return null
  const [match, plain, grouped = '', , fraction = ''] = bodies[mark].exec(framed.body) ?? []
  if (match === undefined) return null
  const units = BigInt((plain ?? grouped.replaceAll(/\D/g, '')) + fraction)
  return { units: framed.isNegative ? -units : units, decimals: fraction.length }
}

function unframed(cell: string): { readonly body: string; readonly isNegative: boolean } | null {
  const text = cell.trim()
  if (text.length > 60) return null
  const [match, sign = '', money1, open, inner = '', money2, body = '', money3, close, money4] = FRAME.exec(text) ?? []
  if (match === undefined || Boolean(open) !== Boolean(close)) return null
  const marks = [sign, inner, open].filter(Boolean)
  if (marks.length > 1 || [money1, money2, money3, money4].filter(Boolean).length > 1) return null
  return { body, isNegative: marks.length === 1 && marks[0] !== '+' }
}

/** The decimal marks under which the numbers of a file are well formed alone, and whether a comma may mean two things. */
function proofsIn(cells: Iterable<string>) {
  const proved = new Set<DecimalMark>()
  let isOpen = false
  for (const cell of cells) {
    const [plainly, , whole = '', mark, part = ''] = PLAIN.exec(cell) ?? []
    if (plainly !== undefined && mark === undefined) continue
    if ((mark === '.' || mark === ',') && !(part.length === 3 && /^[1-9]\d{0,2}$/.test(whole))) {
      proved.add(mark)
      continue
    }
    const [point, comma] = [decimalIn(cell, '.'), decimalIn(cell, ',')]
    if (point && !comma) proved.add('.')
    if (comma && !point) proved.add(',')
    if (point && comma && cell.includes(',')) isOpen = true
  }
  return { proved, isOpen }
}

/**
 * The decimal mark of a file: one that is well formed under one mark alone proves it.
 *
 * @returns a sentence where nothing proves it, both are proved, or the other one than given.
 */
export function decimalMarkOf(
  cells: Iterable<string>,
  given: DecimalMark | null,
): DecimalMark | { readonly fault: string } {
  const { proved, isOpen } = proofsIn(cells)
  const [first] = proved
  if (given !== null) {
    const isOther = proved.size === 1 && first !== given
    return isOther ? { fault: `expected "${first}": the numbers of this file have it as their decimal mark` } : given
  }
  if (proved.size > 1)
    return { fault: 'expected "." or ",": some numbers have a decimal point, others a decimal comma' }
  if (first !== undefined) return first
  return isOpen ? { fault: 'expected "." or ",": the file does not show whether "1,234" has a decimal comma' } : '.'
}

export function sumOf(summands: readonly Decimal[]): Decimal {
  let sum = zero
  for (const summand of summands) {
    const [finer, coarser] = summand.decimals > sum.decimals ? [summand, sum] : [sum, summand]
    const scale = finer.decimals - coarser.decimals
    const units = finer.units + (scale === 0 ? coarser.units : coarser.units * 10n ** BigInt(scale))
    sum = { units, decimals: finer.decimals }
  }
  return sum
}

export function negated({ units, decimals }: Decimal): Decimal {
  return { units: -units, decimals }
}

/** In cents, rounded half away from zero. */
export function centsOf({ units, decimals }: Decimal): bigint {
  if (decimals <= 2) return units * 10n ** BigInt(2 - decimals)
  const divisor = 10n ** BigInt(decimals - 2)
  const size = units < 0n ? -units : units
  const rounded = (size + divisor / 2n) / divisor
  return units < 0n ? -rounded : rounded
}

/** An amount with two decimals. */
export function amountText(amount: Decimal): string {
  const cents = centsOf(amount)
  return plainText({ units: cents, decimals: 2 })
}

/** All digits, with a point. */
export function plainText({ units, decimals }: Decimal): string {
  const digits = String(units < 0n ? -units : units).padStart(decimals + 1, '0')
  const sign = units < 0n ? '-' : ''
  return decimals === 0 ? `${sign}${digits}` : `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}

/** At least two decimals, and no needless ones. */
export function volumeText({ units, decimals }: Decimal): string {
  const [whole = '', fraction = ''] = plainText({ units, decimals }).split('.')
  return `${whole}.${fraction.replace(/0+$/, '').padEnd(2, '0')}`
}
