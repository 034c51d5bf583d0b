import { localTimes } from '#services/rules/local-time.ts'
import { UnreadableCell } from '#services/trading/statements/server/unreadable-statement.ts'
import type { Decimal } from '#services/trading/statements/server/values/decimal.ts'
import { statementZone } from '#services/trading/statements/statement-zone-vocabulary.ts'
import type { DecimalMark } from '#services/trading/statements/statement-vocabulary.ts'
import { dateOf } from '#services/rules/day-terms.ts'
import { compiledPattern, type Part } from '../time-pattern-vocabulary.ts'

/**
 * Numbers and times of statements, as a mapping says that they are written. What could mean two things is refused, never
 * guessed.
 */

/**
 * An amount under the decimal mark that a mapping says: thousands are separated by the other mark, a space or an
 * apostrophe, each in its place, or not at all.
 *
 * @throws {UnreadableCell}
 */
export function amountIn(cell: string, decimal: DecimalMark): Decimal {
  const [match, sign, whole = '', , fraction = ''] = amountPatterns[decimal].exec(cell) ?? []
  const example = decimal === '.' ? '1,234.50' : '1.234,50'
  if (match === undefined) throw new UnreadableCell(`expected an amount like ${example}, with at most two decimals`)
  const units = BigInt(whole.replaceAll(/\D/g, '') + fraction.padEnd(2, '0'))
  return { units: sign === '-' ? -units : units, decimals: 2 }
}

const amountPatterns = { '.': amountPattern('\\.', ','), ',': amountPattern(',', '\\.') } as const

function amountPattern(mark: string, group: string): RegExp {
  return new RegExp(
    `^([+-]?)(\\d{1,13}|\\d{1,3}(?:([${group} \u00A0\u202F'])\\d{3})(?:\\3\\d{3})*)(?:${mark}(\\d{1,2}))?$`,
  )
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
