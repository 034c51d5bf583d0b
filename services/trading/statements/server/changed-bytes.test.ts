import { describe, expect, it } from 'vitest'
import { sampled, seededRandom, triesAll } from '#test-support/random-seed.ts'
import { fixtures } from '#test-support/statements/fixtures.ts'
import type { StatementOptions, StatementRead, StatementRow } from '../statement-vocabulary.ts'
import { readStatement } from './read-statement.ts'
import { LargeStatement, UnreadableStatement } from './unreadable-statement.ts'

/**
 * A file in which one byte is another gives a refusal, a fault, a check that disagrees, or rows that differ only in the
 * cell it stands in. A file that ends early gives no rows that the whole file does not have.
 */

/** How many bytes of each file `npm test` changes, and where it cuts. */
const TRIES = 24
const CUTS = 3
const LONGEST_READ = 10_000

const BYTES = Buffer.from('0123456789.,;:-+/ "\'<>&#()=\t\n\raAxX$%_\0\u00A0\u20AC', 'utf8')

/** Null for a file that is refused. What else is thrown fails the test. */
function readOrRefused(bytes: Uint8Array, options: StatementOptions): StatementRead | null {
  const begun = performance.now()
  try {
    return readStatement(bytes, options)
  } catch (error) {
    if (!(error instanceof UnreadableStatement) && !(error instanceof LargeStatement)) throw error
    return null
  } finally {
    expect(performance.now() - begun).toBeLessThan(LONGEST_READ)
  }
}

function isTold({ rows, checks }: StatementRead): boolean {
  return rows.some(({ row }) => row === 'fault') || checks.some(({ agrees }) => !agrees)
}

type Fields = Readonly<Record<string, unknown>>

/** A row without its line, and without the number of an id that comes again. */
function fieldsOf(row: StatementRow): Fields {
  const id = 'id' in row ? row.id.replace(/#\d+$/, '') : null
  return { ...row, line: 0, id }
}

const timesOfTrades: readonly string[] = ['openedAt', 'at']
/** From the times of its two fills Tradovate's reader derives which of them opens. */
const sidesOfFills: readonly string[] = [...timesOfTrades, 'side', 'openPrice', 'closePrice']

/** In which fields the rows differ; a sentence where more differs than one cell can. */
function differencesOf(name: string, before: StatementRead, after: StatementRead): string | null {
  if (before.rows.length !== after.rows.length) return `${after.rows.length} rows instead of ${before.rows.length}`
  const { zone } = after.file
  const isOtherZone = zone.from === 'heading' && zone.name !== before.file.zone.name
  const isOwn = before.rows.some((row) => 'id' in row && /^[\da-f]{20}$/.test(row.id))
  const changed = before.rows.flatMap((row, index) => {
    const other = after.rows[index]
    const [one, two] = [fieldsOf(row), other ? fieldsOf(other) : {}]
    const names = [...new Set([...Object.keys(one), ...Object.keys(two)])]
    const differing = names.filter((field) => one[field] !== two[field])
    const derived = isOtherZone ? [...timesOfTrades, ...(isOwn ? ['id'] : [])] : []
    const left = differing.filter((field) => !derived.includes(field))
    return left.length === 0 ? [] : [left]
  })
  if (changed.length === 0) return null
  const [fields = [], ...others] = changed
  if (others.length > 0) return `several rows differ in ${changed.map((each) => each.join(', ')).join('; ')}`
  // The date of a day and its time are one cell; a deposit with a minus is a withdrawal.
  const besides = fields.filter((field) => !(isOwn && field === 'id') && field !== 'date' && field !== 'why')
  const isOfFills = name.startsWith('tradovate') && besides.every((field) => sidesOfFills.includes(field))
  return besides.length <= 1 || isOfFills ? null : `a row differs in ${besides.join(', ')}`
}

/** Another byte: a near one, one that statements are made of, or any. */
function otherByte(byte: number, random: ReturnType<typeof seededRandom>): number {
  const other = random.pick([
    () => byte ^ 1,
    () => byte ^ 0x20,
    () => random.pick([...BYTES]),
    () => random.whole(0, 255),
  ])()
  return other === byte ? byte ^ 3 : other
}

const corpus = Object.entries(fixtures)

describe('a file with another byte', () => {
  it.each(corpus)('is told, or differs in one cell: %s', (name, { bytes, options }) => {
    const before = readStatement(bytes, options)
    expect(isTold(before)).toBe(false)
    const random = seededRandom(name.length * bytes.length)
    const places = sampled([...bytes.keys()], TRIES, bytes.length)
    const unseen = places.flatMap((place) => {
      const changed = Uint8Array.from(bytes)
      const byte = bytes[place] ?? 0
      changed[place] = otherByte(byte, random)
      const after = readOrRefused(changed, options)
      if (!after || isTold(after)) return []
      const difference = differencesOf(name, before, after)
      const shown = `byte ${place} of …${JSON.stringify(Buffer.from(bytes.slice(Math.max(0, place - 12), place + 8)).toString('latin1'))}`
      return difference === null ? [] : [`${shown}: ${byte} became ${changed[place]}: ${difference}`]
    })
    expect(unseen).toEqual([])
  })

  it.each(corpus)('or cut anywhere is read as far as it goes, or refused: %s', (name, { bytes, options }) => {
    const whole = readStatement(bytes, options)
    const known = new Set(whole.rows.map((row) => JSON.stringify(fieldsOf(row))))
    const hasEnd = whole.checks.some((check) => check.name === 'whole file')
    for (const end of sampled([...bytes.keys()], triesAll ? bytes.length : CUTS, bytes.length + 1)) {
      const part = readOrRefused(bytes.slice(0, end), options)
      if (!part || isTold(part)) continue
      const unknown = part.rows.slice(0, -1).filter((row) => !known.has(JSON.stringify(fieldsOf(row))))
      expect(unknown).toEqual([])
      // What stands behind the totals of a text has no figures.
      const rest = name.endsWith('.csv') ? /\d/ : /\S/
      if (hasEnd) expect(Buffer.from(bytes.slice(end)).toString('latin1'), `cut at ${end}`).not.toMatch(rest)
    }
  })
})
