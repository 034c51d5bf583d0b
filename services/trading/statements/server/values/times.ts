import { localTimes } from '#services/rules/local-time.ts'
import type { DateOrder } from '../../statement-vocabulary.ts'
import { statementZone } from '../../statement-zone-vocabulary.ts'

/** Times of statements: what stands in a cell, and the instants that it means in a zone. */

/** `local` is what the clock shows, as if it were UTC, in ms since 1970. */
export interface WrittenTime {
  readonly local: number
  /** Minutes ahead of UTC, where the cell says them. */
  readonly offset: number | null
  readonly hasTime: boolean
}

/** The order of a date's parts. One that begins with its year can be read under each. */
export type PartOrder = 'year-first' | DateOrder

const CLOCK = String.raw`(?:[T,\s]\s?(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s?([AaPp][Mm])?\s?(Z|[+-]\d{2}:?\d{2})?)?`
const YEAR_FIRST = new RegExp(`^(\\d{4})([-./])(\\d{1,2})\\2(\\d{1,2})${CLOCK}$`)
const YEAR_LAST = new RegExp(`^(\\d{1,2})([-./])(\\d{1,2})\\2(\\d{4}|\\d{2})${CLOCK}$`)

/** Null for what is no date and no time in this order. */
export function timeIn(cell: string, order: PartOrder): WrittenTime | null {
  const text = cell.trim()
  if (text.length > 50) return null
  const [, year = '', , month, day, ...clock] = YEAR_FIRST.exec(text) ?? []
  if (year !== '') return written(Number(year), Number(month), Number(day), clock)
  if (order === 'year-first') return null
  const [, first = '', , second, end = '', ...rest] = YEAR_LAST.exec(text) ?? []
  if (first === '') return null
  const [inMonth, inYear] = order === 'day-first' ? [first, second] : [second, first]
  return written(Number(end) + (end.length === 2 ? 2000 : 0), Number(inYear), Number(inMonth), rest)
}

function written(
  ...[year, month, day, clock]: readonly [number, number, number, readonly (string | undefined)[]]
): WrittenTime | null {
  const date = Date.UTC(year, month - 1, day)
  const found = new Date(date)
  if (year < 1970 || found.getUTCMonth() !== month - 1 || found.getUTCDate() !== day) return null
  const [hours, minutes, seconds, fraction = '', half, zone] = clock
  if (hours === undefined) return { local: date, offset: null, hasTime: false }
  const hour = half === undefined ? Number(hours) : hourOfHalf(Number(hours), half)
  const [minute, second] = [Number(minutes), Number(seconds ?? 0)]
  if (hour === null || hour > 23 || minute > 59 || second > 59) return null
  const offset = zone === undefined ? null : offsetIn(zone)
  if (Number.isNaN(offset)) return null
  const ms = Number(fraction.slice(0, 3).padEnd(3, '0'))
  return { local: date + ((hour * 60 + minute) * 60 + second) * 1000 + ms, offset, hasTime: true }
}

function hourOfHalf(hour: number, half: string): number | null {
  if (hour < 1 || hour > 12) return null
  return (hour % 12) + (half.toLowerCase() === 'pm' ? 12 : 0)
}

/** Minutes; NaN for an offset that no zone has. */
function offsetIn(zone: string): number {
  if (zone === 'Z') return 0
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(-2))]
  const size = hours > 14 || minutes > 59 ? Number.NaN : hours * 60 + minutes
  return zone.startsWith('-') ? -size : size
}

/** The days that Excel counts begin here; its year 1900 has a day too many, before any statement. */
const EXCEL_START = Date.UTC(1899, 11, 30)
const DAYS_TO_1904 = 1_462

/** A number of a sheet as a time; null for one that no statement has. */
export function timeOfSerial(number: number, isFrom1904: boolean): WrittenTime | null {
  const serial = number + (isFrom1904 ? DAYS_TO_1904 : 0)
  if (!(serial >= 25_569 && serial < 73_051)) return null
  return { local: EXCEL_START + Math.round(serial * 86_400_000), offset: null, hasTime: !Number.isInteger(serial) }
}

/**
 * The order of the dates of a file: one above 12 proves it.
 *
 * @returns a sentence where nothing proves it, both are proved, or the other one than given.
 */
export function dateOrderOf(cells: Iterable<string>, given: DateOrder | null): PartOrder | { readonly fault: string } {
  const proved = new Set<DateOrder>()
  let isAsked = false
  for (const cell of cells) {
    const text = cell.trim()
    if (text.length > 50 || !YEAR_LAST.test(text)) continue
    isAsked = true
    const [isDayFirst, isMonthFirst] = [timeIn(text, 'day-first') !== null, timeIn(text, 'month-first') !== null]
    if (isDayFirst && !isMonthFirst) proved.add('day-first')
    if (isMonthFirst && !isDayFirst) proved.add('month-first')
  }
  if (!isAsked) return given ?? 'year-first'
  const [first] = proved
  if (given !== null) {
    const isOther = proved.size === 1 && first !== given
    return isOther ? { fault: `expected ${first}: the dates of this file have this order` } : given
  }
  if (proved.size > 1) return { fault: 'expected day-first or month-first: the file has dates of both orders' }
  return first ?? { fault: 'expected day-first or month-first: no date of the file shows which it is' }
}

/** Reads local times of a zone. The result is in ms since 1970, or says how often the time comes. */
export type Clock = (local: number) => number | 'twice' | 'never'

/** The clock of a zone as people name it; a sentence with what to write instead for what is none. */
export function clockOf(zone: string): Clock | string {
  const read = statementZone(zone)
  if (typeof read === 'string') return read
  const instantOf = localTimes(read.place)
  return (local) => instantOf(local - read.hours * 3_600_000)
}

/** In UTC, with milliseconds where they are not 0. */
export function instantText(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z')
}
