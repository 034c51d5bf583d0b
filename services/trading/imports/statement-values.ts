import { localTimes } from '#services/rules/local-time.ts'
import { statementZone } from '#services/trading/statements/statement-zone-vocabulary.ts'
import { dateOf } from '#services/rules/trading-day.ts'
import { compiledPattern, type Part } from './time-pattern-vocabulary.ts'

/**
 * Numbers and times of statements, as a mapping says that they are written. What could mean two things is refused, never
 * guessed.
 */

/** A cell cannot be read as what it has to be. */
export class UnreadableCell extends Error {
  override readonly name = 'UnreadableCell'
}

/** Reads amounts: without a decimal mark given, only "-1234.50". */
export function amountReader(decimal: '.' | ',' | undefined): (cell: string) => bigint {
  if (decimal === undefined) {
    return (cell) => {
      if (!/^-?\d{1,13}\.\d{2}$/.test(cell))
        throw new UnreadableCell('expected an amount with two decimals, like 1234.50')
      return BigInt(cell.replace('.', ''))
    }
  }
  const group = decimal === '.' ? ',' : '\\.'
  const mark = decimal === '.' ? '\\.' : ','
  // Thousands are separated by the other mark, a space or an apostrophe, each in its place, or not at all.
  const pattern = new RegExp(
    `^([+-]?)(\\d{1,13}|\\d{1,3}(?:([${group} \u00A0\u202F'])\\d{3})(?:\\3\\d{3})*)(?:${mark}(\\d{1,2}))?$`,
  )
  const example = decimal === '.' ? '1,234.50' : '1.234,50'
  return (cell) => {
    const [match, sign, whole = '', , fraction = ''] = pattern.exec(cell) ?? []
    if (match === undefined) throw new UnreadableCell(`expected an amount like ${example}, with at most two decimals`)
    const cents = BigInt(whole.replaceAll(/\D/g, '') + fraction.padEnd(2, '0'))
    return sign === '-' ? -cents : cents
  }
}

/** Cents as a decimal text. */
export function decimalText(cents: bigint): string {
  const digits = String(cents < 0n ? -cents : cents).padStart(3, '0')
  return `${cents < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/** A volume with a point, and without the lots that some platforms write after it ("0.10 Lots"). */
export function volumeText(cell: string, decimal: string): string {
  const number = cell.replace(/\s?lots?$/i, '')
  return decimal === ',' ? number.replace(',', '.') : number
}

/** The time in a cell is an instant, or only a date. */
export type ReadTime = { readonly instant: string } | { readonly date: string }

const RFC3339 = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/

/**
 * Reads times: without a pattern, RFC 3339 with its zone, or a date alone like 2026-11-02. A pattern has YYYY, MM, DD,
 * HH, mm, ss and SSS; its times are local times of the zone.
 */
export function timeReader(pattern: string | undefined, zone: string | undefined): (cell: string) => ReadTime {
  if (pattern === undefined) return readStandard
  const { expression, parts } = compiledPattern(pattern)
  const read = statementZone(zone ?? 'UTC')
  const { place, hours } = typeof read === 'string' ? { place: zone ?? 'UTC', hours: 0 } : read
  const instantOf = localTimes(place)
  return (cell) => {
    const match = expression.exec(cell)
    if (!match) throw new UnreadableCell(`expected a time like ${pattern}`)
    const value = (part: Part) => (parts.includes(part) ? Number(match[parts.indexOf(part) + 1]) : 0)
    const [year, month, day] = [value('YYYY'), value('MM'), value('DD')]
    const date = Date.UTC(year, month - 1, day)
    const found = new Date(date)
    if (found.getUTCMonth() !== month - 1 || found.getUTCDate() !== day || year < 1970)
      throw new UnreadableCell('there is no such date')
    if (!parts.includes('HH')) return { date: dateOf(date / 86_400_000) }
    const [hour, minute, second] = [value('HH'), value('mm'), value('ss')]
    if (hour > 23 || minute > 59 || second > 59) throw new UnreadableCell('there is no such time')
    const instant = instantOf(date + (((hour - hours) * 60 + minute) * 60 + second) * 1000 + value('SSS'))
    if (typeof instant === 'string')
      throw new UnreadableCell(`this local time comes ${instant} in ${zone}, where the clock is changed`)
    return { instant: new Date(instant).toISOString() }
  }
}

function readStandard(cell: string): ReadTime {
  if (/^\d{4}-\d{2}-\d{2}$/.test(cell)) return { date: cell }
  if (!RFC3339.test(cell)) throw new UnreadableCell('expected a time with its zone, like 2026-11-02T09:30:00Z')
  return { instant: cell }
}
