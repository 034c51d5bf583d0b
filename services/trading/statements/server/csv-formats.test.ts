import { describe, expect, it } from 'vitest'
import {
  ctraderCsv,
  dxtrade,
  exness,
  matchTrader,
  ninjatrader,
  topstepx,
  tradovatePerformance,
  tradovatePositions,
} from '#test-support/statements/csv-statements.ts'
import { cfdTrades, fixtures, futuresTrades, written } from '#test-support/statements/fixtures.ts'
import type { StatementOptions, StatementRow } from '../statement-vocabulary.ts'
import { readStatement } from './read-statement.ts'
import { UnreadableStatement } from './unreadable-statement.ts'

const read = (bytes: Uint8Array, options: StatementOptions = {}) => readStatement(bytes, options)

function fixture(name: string) {
  const found = fixtures[name]
  if (!found) throw new Error(`There is no fixture ${name}`)
  return found
}

/** A row in one line, as a person would copy it from the page. */
function line(row: StatementRow): string {
  if (row.row !== 'trade') return `${row.row} ${'reason' in row ? row.reason : ''}`.trim()
  const { login, id, symbol, side, volume, openedAt, at, openPrice, closePrice, profit } = row
  const times = `${openedAt ?? '?'} ${at}`.replaceAll('2026-', '').replaceAll('Z', '')
  return `${login === null ? '' : `${login}/`}${id} ${side} ${volume} ${symbol} ${times} ${openPrice ?? '?'} ${closePrice ?? '?'} ${profit}`
}

function linesOf(name: string): readonly string[] {
  const { bytes, options } = fixture(name)
  return read(bytes, options).rows.map(line)
}

/** The message of a file that is refused, with its field. */
function refusal(bytes: Uint8Array, options: StatementOptions = {}): string {
  try {
    read(bytes, options)
  } catch (error) {
    if (error instanceof UnreadableStatement)
      return error.faults.map(({ field, message }) => `${field}: ${message}`).join(' | ')
    throw error
  }
  return 'read'
}

/** The sentence of a fixture in which one text stands instead of another. */
function edited(name: string, text: string, other: string): string {
  const { bytes, options } = fixture(name)
  const before = Buffer.from(bytes).toString()
  expect(before).toContain(text)
  return read(Buffer.from(before.replace(text, other)), options).says
}

describe('an export as CSV', () => {
  it.each([
    ['ftmo.csv', 'ftmo', 'Europe/Prague', 'given', null],
    ['exness.csv', 'exness', 'UTC', 'format', null],
    ['exness-older.csv', 'exness', 'UTC', 'format', 'USD'],
    ['ctrader.csv', 'ctrader', 'UTC-04:00', 'heading', 'USD'],
    ['ctrader-few-columns.csv', 'ctrader', 'UTC-04:00', 'heading', 'EUR'],
    ['ctrader-spanish.csv', 'ctrader', 'Etc/GMT+5', 'given', 'EUR'],
    ['topstepx-10.csv', 'topstepx', 'America/Chicago', 'given', null],
    ['topstepx-11.csv', 'topstepx', null, 'rows', null],
    ['topstepx-13.csv', 'topstepx', null, 'rows', null],
    ['tradovate-position-history.csv', 'tradovate-positions', 'America/Chicago', 'given', null],
    ['tradovate-performance.csv', 'tradovate-performance', 'America/Chicago', 'given', null],
    ['nt8-trades-us.csv', 'ninjatrader-trades', 'America/New_York', 'given', null],
    ['match-trader.csv', 'match-trader', 'UTC', 'format', null],
    ['dxtrade-fills.csv', 'dxtrade', 'Europe/London', 'given', null],
  ])('is recognised by its content: %s', (name, format, zone, from, currency) => {
    const { bytes, options } = fixture(name)
    const { file, says } = read(bytes, options)
    expect(file).toMatchObject({
      ...{ format, kind: 'trades', encoding: 'utf-8', until: null, zone: { name: zone, from } },
      account: { login: null, server: null, currency },
    })
    const canBeChecked = !name.startsWith('tradovate') && name !== 'ctrader-few-columns.csv'
    expect(says).toBe(canBeChecked ? 'The file agrees with itself' : 'Nothing in the file can be checked')
  })

  it('of FTMO has the newest trade first', () => {
    expect(linesOf('ftmo.csv')).toEqual([
      '5003 buy 2.00 XAUUSD 11-06T19:00:00 11-09T09:45:59 3980.12 3973.50 -1371.40',
      '5002 sell 1.50 GBPJPY 11-02T12:00:05 11-03T01:15:30 194.512 194.870 -365.98',
      '5001 buy 0.10 EURUSD 11-02T10:10:00 11-02T10:30:00 1.08410 1.08535 11.80',
    ])
    expect(edited('ftmo.csv', '5002;', '5003;')).toBe('The file disagrees with itself: a ticket twice in line 3')
  })

  it('of Exness has one ticket for the parts of a position', () => {
    expect(linesOf('exness.csv')).toEqual([
      '5001 buy 0.10 EURUSD 11-02T11:10:00 11-02T11:30:00 1.08410 1.08535 11.80',
      '5002 sell 1.50 GBPJPY 11-02T13:00:05 11-03T02:15:30 194.512 194.870 -365.98',
      '5003 buy 2.00 XAUUSD 11-06T20:00:00 11-09T10:45:59 3980.12 3973.50 -1371.40',
      '5001#2 buy 0.05 EURUSD 11-02T11:10:00 11-02T11:45:00 1.08410 1.08535 7.00',
    ])
    expect(linesOf('exness-older.csv')).toEqual(linesOf('exness.csv').slice(0, 3))
    const again = exness([...cfdTrades, ...cfdTrades.slice(1, 2)])
    expect(read(again).says).toBe('The file disagrees with itself: a ticket twice in line 5')
  })

  it('of cTrader has a row for each closing deal, and proves its balance', () => {
    const rows = [
      'DID5003 buy 2.00 XAUUSD 11-07T00:00:00 11-09T14:45:59 3980.12 3973.50 -1371.40',
      'DID5002 sell 1.50 GBPJPY 11-02T17:00:05 11-03T06:15:30 194.512 194.870 -365.98',
      'DID5001 buy 0.10 EURUSD 11-02T15:10:00 11-02T15:30:00 1.08410 1.08535 11.80',
    ]
    expect(linesOf('ctrader.csv')).toEqual(rows)
    const { bytes } = fixture('ctrader.csv')
    expect(read(bytes, { dates: 'day-first' }).checks).toMatchObject([
      { name: 'net of a row', agrees: true },
      { name: 'balance chain', agrees: true },
      { name: 'a ticket twice', agrees: true },
    ])
    expect(refusal(bytes)).toMatch(/^dates: expected day-first or month-first/)
    expect(refusal(bytes, { dates: 'day-first', zone: 'UTC' })).toMatch(/^zone: expected none/)
    expect(edited('ctrader.csv', '"-365.98"', '"-356.98"')).toBe(
      'The file disagrees with itself: net of a row in line 3 is -356.98, computed -365.98; balance chain in line 3 is 9645.82, computed 9654.82',
    )
    const byOrder = ctraderCsv(cfdTrades, {
      columns: ['order', 'symbol', 'closing', 'closed', 'quantity', 'net'],
      date: 'YYYY-MM-DD HH:mm:ss.SSS',
    })
    expect(read(byOrder, { zone: 'UTC' }).rows.map(line).slice(0, 1)).toEqual([
      'OID5001 buy 0.10 EURUSD ? 11-02T11:30:00 ? ? 11.80',
    ])
  })

  it('of cTrader without an id has one of its content, and equal rows are two trades', () => {
    const few = linesOf('ctrader-few-columns.csv')
    expect(few).toHaveLength(4)
    expect(few[0]).toMatch(/^[\da-f]{20} buy 0\.10 EURUSD 11-13T15:10:00\.271 11-13T15:30:00\.500 /)
    expect(few[1]).toMatch(/ XAUUSD 11-07T00:00:00 11-09T14:45:59 3980\.12 3973\.50 -1371\.40$/)
    const columns = ['symbol', 'side', 'opened', 'closed', 'quantity', 'net'] as const
    const style = { columns, date: 'YYYY-MM-DD HH:mm:ss.SSS' }
    const twice = read(ctraderCsv([...cfdTrades, ...cfdTrades.slice(0, 1)], style), { zone: 'UTC' })
    const ids = twice.rows.map((row) => ('id' in row ? row.id : ''))
    expect(ids[3]).toBe(`${ids[0]}#2`)
    expect(twice.checks).toEqual([])
    // The id is of the cells: another zone said for the file gives the same.
    const inAthens = read(ctraderCsv(cfdTrades, style), { zone: 'Europe/Athens' })
    expect(inAthens.rows.map((row) => ('id' in row ? row.id : ''))).toEqual(ids.slice(0, 3))
  })

  it('of TopstepX has the offset of each row, and its costs without a sign', () => {
    expect(linesOf('topstepx-13.csv')).toEqual([
      '8101 buy 2.00 MNQZ6 10-30T07:31:15 10-30T07:44:02 25110.250000000 25123.750000000 50.70',
      '8102 sell 1.00 ESZ6 11-03T09:02:00 11-03T09:10:30 6850.500000000 6858.500000000 -403.30',
      '8103 buy 3.00 NQZ6 11-13T13:00:00 11-13T13:59:59 25100.000000000 25120.000000000 1196.70',
    ])
    expect(linesOf('topstepx-11.csv')[0]).toBe(
      '8101 buy 2.00 MNQZ6 11-03T15:31:15 11-03T15:44:02 25110.250000000 25123.750000000 49.96',
    )
    expect(linesOf('topstepx-10.csv')).toEqual(linesOf('topstepx-11.csv'))
    expect(refusal(fixture('topstepx-10.csv').bytes)).toMatch(/^zone: /)
    expect(refusal(fixture('topstepx-13.csv').bytes, { zone: 'UTC' })).toMatch(/^zone: expected none/)
    const halfWithout = Buffer.from(fixture('topstepx-11.csv').bytes).toString().replace('09:31:15 -06:00', '09:31:15')
    expect(read(Buffer.from(halfWithout)).rows[0]).toMatchObject({ row: 'fault', reason: /offset/ })
  })

  it('of Tradovate has a row for each pair of fills: the one bought first is long', () => {
    const { bytes, options } = fixture('tradovate-position-history.csv')
    expect(read(bytes, options).rows.map(line)).toEqual([
      'skipped an open position',
      'DEMO1234/8103 buy 3.00 NQZ6 11-13T20:00:00 11-13T20:59:59 25100.00 25120.00 1200.00',
      'DEMO1234/8102 sell 1.00 ESZ6 11-03T16:02:00 11-03T16:10:30 6850.50 6858.50 -400.00',
      'DEMO1234/8101 buy 2.00 MNQZ6 11-03T15:31:15 11-03T15:44:02 25110.25 25123.75 54.00',
    ])
    expect(linesOf('tradovate-position-history-no-pairs.csv')).toEqual([
      'DEMO1234/81011-81012 buy 2.00 MNQZ6 11-03T15:31:15 11-03T15:44:02 25110.25 25123.75 54.00',
      'DEMO1234/81022-81021 sell 1.00 ESZ6 11-03T16:02:00 11-03T16:10:30 6850.50 6858.50 -400.00',
      'DEMO1234/81031-81032 buy 3.00 NQZ6 11-13T20:00:00 11-13T20:59:59 25100.00 25120.00 1200.00',
    ])
    expect(linesOf('tradovate-performance.csv')).toEqual(
      linesOf('tradovate-position-history-no-pairs.csv').map((row) => row.replace('DEMO1234/', '')),
    )
    const unquoted = read(tradovatePerformance(futuresTrades, { quoted: 'never' }), options)
    expect(unquoted.rows.map(({ row }) => row)).toEqual(['trade', 'trade', 'fault'])
    expect(unquoted.rows[2]).toMatchObject({ line: 4, reason: 'expected 13 cells, as the headings are, and found 14' })
    const twice = read(tradovatePositions([...futuresTrades, ...futuresTrades]), options)
    expect(twice.rows.slice(3).map((row) => ('id' in row ? row.id : ''))).toEqual(['8101#2', '8102#2', '8103#2'])
    expect(twice.says).toBe('Nothing in the file can be checked')
  })

  it('of NinjaTrader has a profit before or after its costs, as the cumulated profit shows', () => {
    const trades = [
      /^DEMO1234\/[\da-f]{20} buy 2\.00 MNQZ6 11-03T14:31:15 11-03T14:44:02 25110\.25 25123\.75 49\.96$/,
      /^DEMO1234\/[\da-f]{20} sell 1\.00 ESZ6 11-03T15:02:00 11-03T15:10:30 6850\.50 6858\.50 -404\.04$/,
      /^DEMO1234\/[\da-f]{20} buy 3\.00 NQZ6 11-13T19:00:00 11-13T19:59:59 25100\.00 25120\.00 1195\.96$/,
    ]
    for (const name of ['nt8-trades-us.csv', 'nt8-trades-net.csv'])
      for (const [index, row] of linesOf(name).entries()) expect(row).toMatch(trades[index] ?? '')
    expect(linesOf('nt8-trades-fr.csv')[1]).toMatch(/ESZ6 11-03T09:02:00 11-03T09:10:30 6850\.50 6858\.50 -404\.04$/)
    const { bytes, options } = fixture('nt8-trades-us.csv')
    expect(read(bytes, options).checks).toMatchObject([{ name: 'cumulated profit', agrees: true }])
    expect(edited('nt8-trades-us.csv', '($400.00)', '($40.00)')).toBe(
      'The file disagrees with itself: cumulated profit in line 3 is -354.08, computed 5.92',
    )
    const [heading = '', ...lines] = Buffer.from(bytes).toString().trimEnd().split('\r\n')
    const sorted = read(Buffer.from([heading, ...lines.toReversed()].join('\r\n')), options)
    expect(sorted.rows.map(line)).toEqual(linesOf('nt8-trades-us.csv').toReversed())
    expect(sorted.says).toBe('The file agrees with itself')
    const unclear = Buffer.from(bytes).toString().replaceAll('Cum. net profit', 'Cum. profit')
    expect(refusal(Buffer.from(unclear), options)).toMatch(/^statementFile: .*"Cum\. net profit"/)
    const free = ninjatrader(futuresTrades)
    const without = Buffer.from(Buffer.from(free).toString().replaceAll('Cum. net profit', 'Cum. profit'))
    expect(read(without, options)).toMatchObject({ checks: [], rows: [{ profit: '54.00' }, {}, {}] })
  })

  it('of Match-Trader has a commission without a sign', () => {
    const rows = linesOf('match-trader.csv')
    expect(rows).toEqual(linesOf('exness.csv').slice(0, 3))
    const { bytes } = fixture('match-trader.csv')
    const signed = Buffer.from(bytes).toString().replace(',0.70,', ',-0.70,').replace(',10.50,', ',-10.50,')
    expect(read(Buffer.from(signed)).rows.map(line)).toEqual(rows)
    expect(edited('match-trader.csv', '5002,', '5001,')).toBe('The file agrees with itself')
    expect(read(matchTrader([...cfdTrades, ...cfdTrades.slice(0, 1)], { delimiter: ';' })).says).toBe(
      'The file disagrees with itself: a ticket twice in line 5',
    )
  })

  it('of DXtrade has closing fills, which are trades of the other side', () => {
    const { bytes, options } = fixture('dxtrade-fills.csv')
    expect(read(bytes, options).rows.map(line)).toEqual([
      'skipped an opening fill',
      '5001:2 buy 0.10 EURUSD ? 11-02T11:30:00 ? 1.08535 11.80',
      'skipped an opening fill',
      '5002:2 sell 1.50 GBPJPY ? 11-03T02:15:00 ? 194.870 -363.67',
      'skipped an opening fill',
      '5003:2 buy 2.00 XAUUSD ? 11-09T10:45:00 ? 3973.50 -1338.00',
      'skipped an opening fill',
      '5004:2 buy 0.10 EURUSD ? 11-13T11:30:00 ? 1.08535 12.50',
    ])
    const iso = dxtrade(cfdTrades, { codes: false, time: 'YYYY-MM-DD HH:mm:ss' })
    expect(read(iso, options).rows[3]).toMatchObject({ id: '50022', at: '2026-11-03T02:15:30Z' })
    expect(edited('dxtrade-fills.csv', '5002:2', '5001:2')).toBe(
      'The file disagrees with itself: a ticket twice in line 5',
    )
  })

  it('is read with halves of days, other marks and signs of money, as its computer writes them', () => {
    const trade = written({ ...futuresTrades[1], opened: '2026-11-13 00:05:00', closed: '2026-11-13 12:05:00' })
    const times = { openedAt: '2026-11-13T05:05:00Z', at: '2026-11-13T17:05:00Z', profit: '-400.00' }
    for (const money of ['plain', '$(1.00)', '($1.00)', '-$1.00'] as const)
      expect(read(ninjatrader([trade], { money }), { zone: 'America/New_York' }).rows).toMatchObject([times])
    const french = ninjatrader([trade], { money: '1,00 $', delimiter: ';', time: 'DD-MM-YYYY HH:mm:ss' })
    expect(read(french, { zone: 'America/New_York' }).rows).toMatchObject([times])
  })

  it('with two decimal marks, or dates in two orders, is refused', () => {
    const { bytes, options } = fixture('nt8-trades-us.csv')
    const text = Buffer.from(bytes).toString()
    expect(refusal(Buffer.from(text.replace('6850.50', '"6850,50"')), options)).toMatch(/^decimal: /)
    expect(refusal(Buffer.from(text.replaceAll('11/3/2026', '30/3/2026')), options)).toMatch(/^dates: .*both/)
    expect(refusal(Buffer.from(text.replaceAll('11/13/2026', '11/3/2026')), options)).toMatch(/^dates: /)
  })

  it('with a local time that comes twice or never has a fault', () => {
    const { rows } = read(
      tradovatePositions([
        written({ id: '1', opened: '2026-11-01 00:59:59', closed: '2026-11-01 01:30:00' }),
        written({ id: '2', opened: '2026-03-08 02:30:00', closed: '2026-03-08 04:00:00' }),
        written({ id: '3', opened: '2026-11-01 00:59:59', closed: '2026-11-01 02:00:00' }),
      ]),
      { zone: 'America/Chicago' },
    )
    expect(rows).toMatchObject([
      { row: 'fault', reason: /"11\/01\/2026 01:30:00" comes twice/ },
      { row: 'fault', reason: /"03\/08\/2026 02:30:00" comes never/ },
      { openedAt: '2026-11-01T05:59:59Z', at: '2026-11-01T08:00:00Z' },
    ])
    // The same hours are two where each row has its offset.
    const twice = topstepx([written({ opened: '2026-11-01 01:30:00', closed: '2026-11-01 01:30:00' })], {
      columns: 13,
      offsetOf: (_, end) => (end === 'opened' ? '-05:00' : '-06:00'),
    })
    expect(read(twice).rows).toMatchObject([{ openedAt: '2026-11-01T06:30:00Z', at: '2026-11-01T07:30:00Z' }])
  })
})

const header = (...names: readonly string[]) => Buffer.from(`${names.join(',')}\n${names.map(() => '1').join(',')}\n`)

describe('a file that is no statement of trades', () => {
  it.each([
    [
      'the orders of Tradovate',
      header(
        'orderId',
        'Account',
        'Order ID',
        'B/S',
        'Contract',
        'Product',
        'avgPrice',
        'filledQty',
        'Fill Time',
        'Status',
      ),
      ['"Position History"', '"Performance"'],
    ],
    [
      'the orders of Rithmic',
      Buffer.concat([
        Buffer.from('Completed Orders\n'),
        header(
          'Account',
          'Status',
          'Remarks',
          'Buy/Sell',
          'Qty To Fill',
          'Max Show Qty',
          'Symbol',
          'Update Time (EDT)',
        ),
      ]),
      ['statement', 'clearing broker', 'firm'],
    ],
    [
      'the executions of NinjaTrader',
      header(
        'Instrument',
        'Action',
        'Quantity',
        'Price',
        'Time',
        'ID',
        'E/X',
        'Position',
        'Order ID',
        'Name',
        'Commission',
        'Rate',
        'Account',
        'Connection',
        '',
      ),
      ['"Trades"'],
    ],
    [
      'the orders of TopstepX',
      header(
        'Id',
        'AccountName',
        'ContractName',
        'Status',
        'Type',
        'Size',
        'Side',
        'CreatedAt',
        'FilledAt',
        'ExecutePrice',
        'PositionDisposition',
      ),
      ['"Trades"'],
    ],
    [
      'a backtest of cTrader',
      header('Order ID', 'Position ID', 'Event', 'Time (UTC+2)', 'Volume', 'Symbol', 'Balance'),
      ['backtest', 'history'],
    ],
    [
      'a file of FTMO without dates',
      header('Ticket', 'Open Price', 'Type', 'Volume', 'Symbol', 'Close Price', 'Profit'),
      ['dates', 'client area'],
    ],
    [
      'the open positions of Exness',
      header(
        'ticket',
        'opening_time_utc',
        'type',
        'original_position_size',
        'symbol',
        'opening_price',
        'stop_loss',
        'take_profit',
        'commission_usd',
        'swap_usd',
        'profit_usd',
      ),
      ['closed'],
    ],
    ['an old workbook', Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]), ['XLSX']],
  ])('is refused, with what to export instead: %s', (_, bytes, words) => {
    const said = refusal(bytes, { zone: 'UTC' })
    expect(said).toMatch(/^statementFile: [^|]*$/)
    for (const word of words) expect(said).toContain(word)
  })
})

describe('a file as people make it', () => {
  const text = (name: string) => Buffer.from(fixture(name).bytes).toString()
  const rowsOf = (changed: string, name: string) => read(Buffer.from(changed), fixture(name).options).rows.map(line)

  it('may have titles with quotation marks and figures above its headings, and end lines with a delimiter', () => {
    const titled = `Report of "Ada";1,2,3,4,5,6,7,8,9\n\n${text('ftmo.csv')}`
    expect(rowsOf(titled, 'ftmo.csv')).toEqual(linesOf('ftmo.csv'))
    expect(rowsOf(`sep=;\r\n${text('ftmo.csv').replaceAll('\n', ';\r\n')}`, 'ftmo.csv')).toEqual(linesOf('ftmo.csv'))
    expect(read(Buffer.from(titled), { zone: 'UTC' }).rows[0]?.line).toBe(4)
  })

  it('is parted by the delimiter of its headings, whatever its numbers have', () => {
    const grouped = text('match-trader.csv')
      .replaceAll(',', ';')
      .replace('3980.12', '1,003,980.12')
      .replace('-1324.00', '-1,001,324.00')
      .replace('3973.50', '1,003,973.50')
      .replace('-33.40', '-1,000,033.40')
      .replace('14.00', '1,000,014.00')
    expect(rowsOf(grouped, 'match-trader.csv')[2]).toMatch(/ 1003980\.12 1003973\.50 -3001371\.40$/)
  })

  it('takes the second name of a trade where the first one is empty', () => {
    expect(rowsOf(text('ctrader.csv').replace('"DID5002"', '""'), 'ctrader.csv')[1]).toMatch(/^OID5002 /)
    expect(rowsOf(text('dxtrade-fills.csv').replace('5002:2', ''), 'dxtrade-fills.csv')[3]).toMatch(/^50022 /)
    const pairs = text('tradovate-position-history.csv')
    expect(rowsOf(pairs.replace(',8102,', ',,'), 'tradovate-position-history.csv')[2]).toMatch(
      /^DEMO1234\/81022-81021 /,
    )
    const none = pairs.replace(',8102,81022,', ',,,')
    expect(rowsOf(none, 'tradovate-position-history.csv')[2]).toBe('fault the row has no id')
  })

  it('of cTrader may be sorted by another column, and names no row for the fault of another', () => {
    const [heading = '', ...rows] = text('ctrader.csv').trimEnd().split('\r\n')
    const sorted = [heading, ...rows.toSorted((one, other) => (one.slice(20) < other.slice(20) ? -1 : 1))].join('\r\n')
    expect(read(Buffer.from(sorted), { dates: 'day-first' }).says).toBe('The file agrees with itself')
    const fault = [heading, rows[0], rows[1]?.replace('"-365.98"', '"-3OS.98"'), rows[2]].join('\r\n')
    const { rows: printed, says } = read(Buffer.from(fault), { dates: 'day-first' })
    expect([printed.map(({ row }) => row), says]).toEqual([['trade', 'fault', 'trade'], 'The file agrees with itself'])
    const spanish = text('ctrader-spanish.csv').replaceAll(' Lots"', ' Lotes"')
    expect(rowsOf(spanish, 'ctrader-spanish.csv')).toEqual(linesOf('ctrader-spanish.csv'))
  })
})
