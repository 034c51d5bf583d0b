import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { Temporal } from 'temporal-polyfill'
import { describe, expect, it } from 'vitest'
import {
  ctraderCsv,
  dxtrade,
  exness,
  ftmo,
  matchTrader,
  ninjatrader,
  sidesOf,
  topstepx,
  tradovatePerformance,
  tradovatePositions,
} from '#test-support/statements/csv-statements.ts'
import { netOf, type WrittenTrade } from '#test-support/statements/written-rows.ts'
import type { StatementOptions } from '../statement-vocabulary.ts'
import { readStatement } from './read-statement.ts'

/**
 * Rows that are written in a format and read again are the rows. What a row has to become is worked out here, by other
 * means than the reader's: `Temporal` for zones, decimals as text for sums.
 */

const zones = ['UTC', 'Europe/Athens', 'America/New_York+7', 'Asia/Kolkata', 'Etc/GMT+5', 'Pacific/Auckland'] as const

/** The instants that a clock's time may mean. */
function instantsOf(local: string, zone: string): readonly string[] {
  const [, place = zone, shift = '0'] = /^(America\/New_York)([+-]\d+)$/.exec(zone) ?? []
  const time = Temporal.PlainDateTime.from(local.replace(' ', 'T')).subtract({ hours: Number(shift) })
  const found = (['earlier', 'later'] as const).map((disambiguation) => time.toZonedDateTime(place, { disambiguation }))
  const really = found.filter((each) => each.toPlainDateTime().equals(time))
  return [...new Set(really.map((each) => each.toInstant().toString()))]
}

const cents = (least: number, most: number) =>
  fc.integer({ min: least, max: most }).map((value) => {
    const digits = String(Math.abs(value)).padStart(3, '0')
    return `${value < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
  })
const price = fc
  .record({ whole: fc.integer({ min: 1, max: 99_999 }), places: fc.constantFrom(2, 3, 5), fraction: fc.nat(99_999) })
  .map(({ whole, places, fraction }) => `${whole}.${String(fraction).padStart(5, '0').slice(0, places)}`)
const volume = fc.constantFrom('0.01', '0.10', '0.1', '0.015', '1', '1.5', '2.00', '10', '123.45')
const start = Date.UTC(2025, 9, 1) / 1000
const localTime = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ')

/** Among them the nights in which clocks are changed. */
const opening = fc.oneof(
  fc.integer({ min: start, max: start + 500 * 86_400 }),
  fc
    .constantFrom('2025-10-26T03:30:00', '2026-03-29T03:30:00', '2026-11-01T08:30:00', '2026-03-08T09:30:00')
    .map((text) => Date.parse(`${text}Z`) / 1000),
)

const trade: fc.Arbitrary<WrittenTrade> = fc
  .record({
    id: fc.integer({ min: 1, max: 999_999_999 }).map(String),
    login: fc.constantFrom('70000001', '70000002', 'DEMO-7'),
    symbol: fc.constantFrom('EURUSD', 'GBPJPY+', 'US30.cash', '#AAPL', 'BTC/USD', 'MNQZ6', 'm'),
    side: fc.constantFrom('buy' as const, 'sell' as const),
    volume,
    opening,
    seconds: fc.oneof(fc.nat(86_400), fc.nat(40 * 86_400), fc.constant(0)),
    openPrice: price,
    closePrice: price,
    profit: cents(-500_000_000, 500_000_000),
    commission: fc.oneof(fc.constant('0.00'), cents(-90_000, -2)),
    swap: fc.oneof(fc.constant('0.00'), cents(-90_000, 90_000)),
    fee: fc.oneof(fc.constant('0.00'), cents(-900, -2)),
  })
  .map(({ opening: at, seconds, ...fields }) => ({ ...fields, opened: localTime(at), closed: localTime(at + seconds) }))

const trades = fc.uniqueArray(trade, { selector: ({ id }) => id, minLength: 1, maxLength: 12 })

type Row = Readonly<Record<string, unknown>>

function printedVolume(text: string): string {
  const [whole = '', fraction = ''] = text.split('.')
  return `${whole}.${fraction.replace(/0+$/, '').padEnd(2, '0')}`
}

/** A trade as it has to be read; a fault where one of its times comes twice or never. */
function expected(written: WrittenTrade, zone: string, differs: Row = {}): Row {
  const [opened, closed] = [instantsOf(written.opened, zone), instantsOf(written.closed, zone)]
  const { openedAt } = { openedAt: opened[0], ...differs }
  if (closed.length !== 1 || (openedAt !== null && opened.length !== 1)) return { row: 'fault' }
  if (openedAt !== null && Date.parse(closed[0] ?? '') < Date.parse(opened[0] ?? '')) return { row: 'fault' }
  const { id, symbol, side, openPrice, closePrice } = written
  return {
    ...{ row: 'trade', login: null, id, symbol, side, volume: printedVolume(written.volume) },
    ...{ openedAt: opened[0], at: closed[0], openPrice, closePrice, profit: netOf(written), ...differs },
  }
}

/** An id made of the content, as the contract says it. */
function ownId(row: Row, opened: unknown, closed: unknown): string {
  const content = [
    row['login'],
    row['symbol'],
    row['side'],
    row['volume'],
    opened,
    closed,
    row['openPrice'],
    row['closePrice'],
  ]
  return createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 20)
}

function readAgain(bytes: Uint8Array, options: StatementOptions) {
  const { rows, checks, says } = readStatement(bytes, options)
  expect(says).not.toContain('disagrees')
  expect(checks.filter(({ agrees }) => !agrees)).toEqual([])
  const printed = rows.map(({ line, ...row }): Row => {
    expect(line).toBeGreaterThan(1)
    return row.row === 'fault' ? { row: 'fault' } : row
  })
  return printed
}

interface RoundTrip {
  readonly name: string
  readonly write: (rows: readonly WrittenTrade[]) => Uint8Array
  readonly options?: StatementOptions
  /** Where the file says its zone. */
  readonly zone?: string
  readonly expected?: (written: WrittenTrade, zone: string) => Row | readonly Row[]
  /** What the platform writes of a trade: futures have whole volumes. */
  readonly prepare?: (written: WrittenTrade) => WrittenTrade
  readonly order?: (rows: readonly WrittenTrade[]) => readonly WrittenTrade[]
}

const whole = (written: WrittenTrade) => ({ ...written, volume: String(Math.ceil(Number(written.volume))) })
const free = (written: WrittenTrade) => ({ ...written, commission: '0.00', swap: '0.00', fee: '0.00' })
const noFee = (written: WrittenTrade) => ({ ...written, fee: '0.00' })
const noSwap = (written: WrittenTrade) => ({ ...written, swap: '0.00' })
const newestFirst = (rows: readonly WrittenTrade[]) =>
  rows.toSorted((one, other) => (one.closed < other.closed ? 1 : one.closed > other.closed ? -1 : 0))
const toMinutes = (written: WrittenTrade) => ({
  ...written,
  ...{ opened: written.opened.replace(/:\d\d$/, ':00'), closed: written.closed.replace(/:\d\d$/, ':00') },
})
const long = (number: string) => {
  const [digits = '', fraction = ''] = number.split('.')
  return `${digits}.${fraction.padEnd(9, '0')}`
}
const fills = (written: WrittenTrade) => {
  const { bought, sold } = sidesOf(written)
  return `${bought.fill}-${sold.fill}`
}
/** Two fills of one second are a long trade. */
const sideOfFills = (written: WrittenTrade): WrittenTrade =>
  written.opened === written.closed ? { ...written, side: 'buy' } : written
const ninjaRow = (time: (text: string) => string) => (written: WrittenTrade, zone: string) => {
  const row = expected(written, zone, { login: written.login })
  return row['row'] === 'fault' ? row : { ...row, id: ownId(row, time(written.opened), time(written.closed)) }
}
const slashed = (text: string) => text.replace(/^(\d{4})-(\d\d)-(\d\d) 0?(\d)/, '$3/$2/$1 $4')

const formats: readonly RoundTrip[] = [
  { name: 'ftmo', write: (rows) => ftmo(rows), prepare: noFee },
  { name: 'exness', zone: 'UTC', write: (rows) => exness(rows), prepare: noFee },
  { name: 'exness, older', zone: 'UTC', write: (rows) => exness(rows, { older: true, zulu: true }), prepare: noFee },
  {
    name: 'ctrader',
    write: (rows) => ctraderCsv(rows, { zone: 'UTC+5:30', numbers: { mark: ',', thousands: '\u202F' } }),
    zone: 'Asia/Kolkata',
    options: { dates: 'day-first' },
    order: newestFirst,
    expected: (written, zone) => expected(written, zone, { id: `DID${written.id}` }),
  },
  {
    name: 'ctrader without ids',
    write: (rows) =>
      ctraderCsv(rows, {
        columns: ['symbol', 'closing', 'closed', 'exit', 'quantity', 'net'],
        date: 'MM/DD/YYYY HH:mm:ss',
      }),
    options: { dates: 'month-first' },
    expected: (written, zone) => {
      const row = expected(written, zone, { openedAt: null, openPrice: null })
      return row['row'] === 'fault'
        ? row
        : { ...row, id: ownId(row, null, written.closed.replace(/^(\d{4})-(\d\d)-(\d\d)/, '$2/$3/$1')) }
    },
  },
  {
    name: 'topstepx',
    zone: 'Etc/GMT+6',
    write: (rows) => topstepx(rows, { columns: 13, offsetOf: () => '-06:00' }),
    prepare: (written) => noSwap(whole(written)),
    expected: (written, zone) =>
      expected(written, zone, { openPrice: long(written.openPrice), closePrice: long(written.closePrice) }),
  },
  {
    name: 'topstepx without offsets',
    write: (rows) => topstepx(rows, { columns: 10 }),
    prepare: (written) => noSwap(whole(written)),
    expected: (written, zone) =>
      expected(written, zone, { openPrice: long(written.openPrice), closePrice: long(written.closePrice) }),
  },
  {
    name: 'tradovate-positions',
    write: (rows) => tradovatePositions(rows),
    prepare: (written) => sideOfFills(free(whole(written))),
    expected: (written, zone) => expected(written, zone, { login: written.login }),
  },
  {
    name: 'tradovate-performance',
    write: (rows) => tradovatePerformance(rows),
    prepare: (written) => sideOfFills(free(whole(written))),
    expected: (written, zone) => expected(written, zone, { id: fills(written) }),
  },
  {
    name: 'ninjatrader-trades, before costs',
    write: (rows) => ninjatrader(rows, { withFees: true, time: 'DD/MM/YYYY H:mm:ss', money: '1,00 $', delimiter: ';' }),
    options: { dates: 'day-first', decimal: ',' },
    prepare: noSwap,
    expected: ninjaRow(slashed),
  },
  {
    name: 'ninjatrader-trades, after costs',
    write: (rows) => ninjatrader(rows, { isNet: true, time: 'DD/MM/YYYY H:mm:ss', money: '$(1.00)' }),
    options: { dates: 'day-first' },
    prepare: noSwap,
    expected: ninjaRow(slashed),
  },
  { name: 'match-trader', zone: 'UTC', write: (rows) => matchTrader(rows), prepare: noFee },
  {
    name: 'dxtrade',
    write: (rows) => dxtrade(rows),
    options: { dates: 'day-first' },
    prepare: (written) => toMinutes({ ...free(written), commission: written.commission }),
    expected: (written, zone) => [
      { row: 'skipped', reason: 'an opening fill' },
      expected(written, zone, { id: `${written.id}:2`, openedAt: null, openPrice: null }),
    ],
  },
]

describe('rows that are written and read again are the rows', () => {
  it.each(formats)('$name', ({ write, options, zone: ofFile, expected: rowsOf = expected, prepare, order }) => {
    fc.assert(
      fc.property(trades, fc.constantFrom(...zones), (random, chosen) => {
        const prepared = random.map((each) => prepare?.(each) ?? each)
        const rows = order?.(prepared) ?? prepared
        const zone = ofFile ?? chosen
        const read = readAgain(write(rows), { ...options, ...(ofFile === undefined ? { zone } : {}) })
        expect(read).toEqual(rows.flatMap((each) => rowsOf(each, zone)))
      }),
      { numRuns: 40 },
    )
  })
})

describe('an id that comes again', () => {
  const few = fc.array(
    fc
      .record({
        first: trade,
        id: fc.constantFrom('7', '8'),
        profit: fc.constantFrom('1.00', '-2.00'),
        isLate: fc.boolean(),
      })
      .map(({ first, id, profit, isLate }) => {
        const [opened, closed] = ['2026-11-02 09:00:00', isLate ? '2026-11-02 10:00:00' : '2026-11-02 09:30:00']
        return { ...free(first), id, profit, opened, closed, openPrice: '1.00', closePrice: '2.00', volume: '1' }
      }),
    { minLength: 1, maxLength: 7 },
  )
  const order = ['at', 'openedAt', 'profit', 'volume', 'openPrice', 'closePrice', 'side', 'symbol']
  const keyOf = (row: Row) => order.map((field) => String(row[field])).join(' ')

  it.each([
    { name: 'told', again: 'told', write: (rows: readonly WrittenTrade[]) => ftmo(rows) },
    { name: 'steps', again: 'steps', write: (rows: readonly WrittenTrade[]) => matchTrader(rows) },
    { name: 'fills', again: 'fills', write: (rows: readonly WrittenTrade[]) => tradovatePerformance(rows) },
  ])('is numbered by the content, so that a later file gives the same: $name', ({ again, write }) => {
    const read = (rows: readonly WrittenTrade[]) => readStatement(write(rows), again === 'steps' ? {} : { zone: 'UTC' })
    fc.assert(
      fc.property(few, fc.infiniteStream(fc.nat(1000)), (random, chances) => {
        // Sides of fills follow from their times, so that both are written as they are.
        const rows = again === 'fills' ? random.map((row) => ({ ...row, side: 'buy' as const })) : random
        const { rows: printed, checks } = read(rows)
        const all: readonly Row[] = printed
        const baseOf = ({ id }: Row) => String(id).replace(/#\d+$/, '')
        for (const base of new Set(all.map(baseOf))) {
          const group = all.filter((row) => baseOf(row) === base)
          const inOrder = group.toSorted((one, other) => {
            const [first, second] = [keyOf(one), keyOf(other)]
            return first < second ? -1 : first > second ? 1 : Number(one['line']) - Number(other['line'])
          })
          expect(inOrder.map(({ id }) => id)).toEqual(
            group.map((_, index) => (index === 0 ? base : `${base}#${index + 1}`)),
          )
        }
        const lines = (found: readonly Row[]) => found.map(({ line }) => line)
        const repeated = rows.flatMap((row, index) => {
          const earlier = rows.slice(0, index)
          const isTold =
            again === 'told'
              ? earlier.some(({ id }) => id === row.id)
              : earlier.some(
                  (other) => JSON.stringify({ ...other, login: '' }) === JSON.stringify({ ...row, login: '' }),
                )
          return isTold ? [{ line: index + 2 }] : []
        })
        expect(lines(checks.filter(({ agrees }) => !agrees))).toEqual(again === 'fills' ? [] : lines(repeated))

        const shuffled = rows
          .map((row) => ({ row, chance: chances.next().value ?? 0 }))
          .toSorted((one, other) => one.chance - other.chance)
        const contents = (found: readonly Row[]) => found.map((row) => JSON.stringify({ ...row, line: 0 })).toSorted()
        expect(contents(read(shuffled.map(({ row }) => row)).rows)).toEqual(contents(all))
      }),
      { numRuns: 60 },
    )
  })
})
