import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { Temporal } from 'temporal-polyfill'
import { describe, expect, it } from 'vitest'
import { triesAll } from '#test-support/random-seed.ts'
import {
  ctraderCsv,
  ctraderXlsx,
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
import { endOf, managerDaily, managerDeals, managerPositions } from '#test-support/statements/manager-reports.ts'
import { mt4Statement } from '#test-support/statements/metatrader-4.ts'
import { dealsOf, mt5Html, mt5Xlsx } from '#test-support/statements/metatrader-5.ts'
import { netOf, type WrittenEntry, type WrittenTrade } from '#test-support/statements/written-rows.ts'
import type { StatementOptions } from '../statement-vocabulary.ts'
import { readStatement } from './read-statement.ts'

/**
 * Rows that are written in a format and read again are the rows. What a row has to become is worked out here, by other
 * means than the reader's: `Temporal` for zones, decimals as text for sums.
 */

/** `npm run test:long` tries more. */
const RUNS = triesAll ? 500 : 15

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
/** As a number in a sheet, whose needless zeros are gone. */
const shortest = (number: string) => (number.includes('.') ? number.replace(/\.?0+$/, '') : number)
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
    name: 'ctrader as XLSX',
    write: (rows) =>
      ctraderXlsx(rows, {
        columns: [
          'order',
          'symbol',
          'side',
          'opened',
          'closed',
          'entry',
          'exit',
          'quantity',
          'swap',
          'commission',
          'gross',
          'net',
          'balance',
        ],
      }),
    options: { dates: 'day-first' },
    order: newestFirst,
    expected: (written, zone) =>
      expected(written, zone, {
        id: `OID${written.id}`,
        openPrice: shortest(written.openPrice),
        closePrice: shortest(written.closePrice),
      }),
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
      { numRuns: RUNS },
    )
  })
})

const ledgerTypes = [
  'balance',
  'credit',
  'charge',
  'correction',
  'interest',
  'tax',
  'bonus',
  'dividend',
  'commission daily',
  'dividend franked',
] as const
const entry: fc.Arbitrary<WrittenEntry> = fc.record({
  id: fc.integer({ min: 10_000_000, max: 99_999_999 }).map(String),
  login: fc.constantFrom('70000001', '70000002'),
  at: opening.map(localTime),
  type: fc.constantFrom(...ledgerTypes),
  amount: cents(-10_000_000, 10_000_000),
  comment: fc.constantFrom('', 'Deposit', 'A & "B" <3>'),
})
const entries = fc.uniqueArray(entry, { selector: ({ id }) => id, maxLength: 6 })

/** A row of a ledger as it has to be read. */
function expectedEntry({ id, login, at, type, amount }: WrittenEntry, zone: string, hasLogin = false): Row {
  if (type === 'credit' || type === 'bonus') return { row: 'skipped', reason: `a ${type}` }
  const instants = instantsOf(at, zone)
  if (instants.length !== 1) return { row: 'fault' }
  const named = type === 'balance' ? (amount.startsWith('-') ? 'withdrawal' : 'deposit') : type.split(' ')[0]
  return { row: 'transfer', login: hasLogin ? login : null, id, at: instants[0], amount, why: named }
}

const byTime = (one: { readonly at: string }, other: { readonly at: string }) =>
  one.at < other.at ? -1 : one.at > other.at ? 1 : 0

/** Reports of MetaTrader, whose clocks are unambiguous: else their own deals have faults, too. */
const metatraderRows = fc
  .record({
    zone: fc.constantFrom('UTC', 'Europe/Athens', 'America/New_York+7'),
    trades,
    entries,
    hasStart: fc.boolean(),
  })
  .map(({ zone, trades: all, entries: ledger, hasStart }) => {
    const isOnce = (at: string) => instantsOf(at, zone).length === 1
    const seen = new Set<string>()
    const own = all.filter(({ symbol, side, opened, closed }) => {
      // The fees of two positions that close in one second could belong to either.
      const keys = [`${symbol} ${side} ${opened}`, `${symbol} ${side} ${closed}`]
      if (!isOnce(opened) || !isOnce(closed) || keys.some((key) => seen.has(key))) return false
      for (const key of keys) seen.add(key)
      return true
    })
    const start = {
      id: '1',
      login: '70000001',
      at: '2025-09-30 09:00:00',
      type: 'balance',
      amount: '100000.00',
      comment: 'Deposit',
    }
    const kept = ledger.filter(({ at }) => isOnce(at)).toSorted(byTime)
    return { zone, trades: own, entries: hasStart ? [start, ...kept] : kept }
  })
const head = {
  login: '70000001',
  name: 'Ada & Söhne',
  company: 'Example <Broker>',
  currency: 'EUR',
  server: 'Example-Live 2',
}

describe('reports of MetaTrader that are written and read again are the rows', () => {
  it('mt4-statement', () => {
    fc.assert(
      fc.property(
        metatraderRows,
        fc.boolean(),
        fc.constantFrom('en' as const, 'ru' as const),
        (random, detailed, language) => {
          const { zone } = random
          const rows = [...random.entries, ...random.trades]
          const { name, ...russian } = head
          const style =
            language === 'ru' ? ({ ...russian, name: 'Анна', encoding: 'windows-1251' } as const) : { ...head, name }
          const bytes = mt4Statement({
            ...style,
            date: '2027 March 8, 18:30',
            rows,
            language,
            detailed,
            floating: '-3.10',
          })
          const read = readStatement(bytes, { zone })
          expect(read.file.account).toMatchObject({ login: '70000001', currency: 'EUR' })
          expect(readAgain(bytes, { zone })).toEqual(
            rows.map((row) => ('amount' in row ? expectedEntry(row, zone) : expected(row, zone))),
          )
        },
      ),
      { numRuns: RUNS },
    )
  })

  it.each([
    { name: 'HTML', write: mt5Html, price: (text: string) => text },
    { name: 'XLSX', write: mt5Xlsx, price: shortest },
  ])('mt5-report as $name', ({ write, price: priceOf }) => {
    const styles = fc.record({
      language: fc.constantFrom('en' as const, 'ru' as const, 'it' as const, 'pt' as const),
      encoding: fc.constantFrom('utf-16le' as const, 'utf-8' as const),
      leverageFirst: fc.boolean(),
    })
    fc.assert(
      fc.property(metatraderRows, styles, (random, style) => {
        const { zone, trades: positions, entries: ledger } = random
        fc.pre(positions.length > 0)
        const bytes = write({
          ...head,
          ...style,
          date: '2027-03-08 18:30:00',
          positions,
          deals: dealsOf(positions, ledger),
        })
        const { file } = readStatement(bytes, { zone })
        expect(file).toMatchObject({ account: { login: '70000001', currency: 'EUR', server: 'Example-Live 2' } })
        expect(file.until).toBe(instantsOf('2027-03-08 18:30:00', zone)[0])
        expect(readAgain(bytes, { zone })).toEqual([
          ...positions.map((row) =>
            expected(row, zone, { openPrice: priceOf(row.openPrice), closePrice: priceOf(row.closePrice) }),
          ),
          ...ledger.map((row) => expectedEntry(row, zone)),
        ])
      }),
      { numRuns: RUNS },
    )
  })

  const numbers = fc.constantFrom(
    { mark: '.', thousands: '' } as const,
    { mark: ',', thousands: '\u00A0' } as const,
    { mark: '.', thousands: ',' } as const,
  )
  const managerStyle = fc.record({
    numbers,
    delimiter: fc.constantFrom(';', '\t'),
    encoding: fc.constantFrom('utf-8' as const, 'utf-8-bom' as const, 'utf-16le' as const),
  })

  it('mt5-manager-positions', () => {
    const partly = fc.array(fc.option(volume, { nil: undefined }), { minLength: 12, maxLength: 12 })
    fc.assert(
      fc.property(trades, partly, managerStyle, fc.constantFrom(...zones), (random, closeVolumes, style, zone) => {
        const rows = random.map((row, index) => {
          const closeVolume = closeVolumes[index]
          return { ...row, login: '70000001', ...(closeVolume === undefined ? {} : { closeVolume }) }
        })
        const options = { zone, decimal: style.numbers.mark }
        expect(readAgain(managerPositions(rows, style), options)).toEqual(
          rows.map((row) => expected({ ...row, volume: row.closeVolume ?? row.volume }, zone, { login: row.login })),
        )
      }),
      { numRuns: RUNS },
    )
  })

  it('mt5-manager-deals', () => {
    fc.assert(
      fc.property(metatraderRows, managerStyle, ({ zone, entries: ledger, trades: deals }, style) => {
        fc.pre(ledger.length + deals.length > 0)
        const logins = ledger.map((row) => ({ ...row, login: row.login }))
        const all = [
          ...logins.map((row) => ({ at: row.at, row: expectedEntry(row, zone, true) })),
          ...deals.map((row) => ({ at: row.closed, row: { row: 'skipped', reason: 'a fill' } })),
        ]
        const options = { zone, decimal: style.numbers.mark }
        expect(readAgain(managerDeals(logins, deals, style), options)).toEqual(
          all.toSorted(byTime).map(({ row }) => row),
        )
      }),
      { numRuns: RUNS },
    )
  })

  it('mt5-manager-daily', () => {
    const change = fc.record({
      deposit: cents(-100_000, 100_000),
      closed: cents(-100_000, 100_000),
      credit: fc.constantFrom('0.00', '500.00'),
      floating: cents(-50_000, 50_000),
    })
    const days = fc.array(fc.record({ first: change, second: change }), { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(
        days,
        managerStyle,
        fc.constantFrom('UTC', 'America/New_York+7'),
        fc.constantFrom('00:00:00', '23:59:59', '21:30:00'),
        (random, style, zone, clock) => {
          const rows = random.flatMap(({ first, second }, index) => {
            const common = { login: String(70_000_001 + index), name: 'Ada', margin: '0.00' }
            const start = { ...common, ...first, at: `2026-11-03 ${clock}`, previous: '50000.00' }
            return [start, { ...common, ...second, at: `2026-11-04 ${clock}`, previous: endOf(start).balance }]
          })
          const options = { zone, decimal: style.numbers.mark }
          expect(readAgain(managerDaily(rows, style), options)).toEqual(
            rows.map((row) => {
              const shift = clock === '00:00:00' ? 1 : 0
              const date = `2026-11-0${Number(row.at.slice(9, 10)) - shift}`
              const at = instantsOf(shift === 1 ? `${date} 23:59:59` : row.at, zone)[0]
              return {
                row: 'day',
                login: row.login,
                date,
                at,
                ...endOf(row),
                lowestEquity: null,
                highestEquity: null,
                trades: null,
              }
            }),
          )
        },
      ),
      { numRuns: RUNS },
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
      { numRuns: RUNS },
    )
  })
})
