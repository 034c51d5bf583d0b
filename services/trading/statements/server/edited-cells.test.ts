import { describe, expect, it } from 'vitest'
import { fixtures } from '#test-support/statements/fixtures.ts'
import type { StatementRow } from '../statement-vocabulary.ts'
import { readStatement } from './read-statement.ts'

/** What the fixtures of MetaTrader say, worked out by hand, and each check of each format with a cell that breaks it. */

function read(name: string, edit: (text: string) => string = (text) => text) {
  const found = fixtures[name]
  if (!found) throw new Error(`There is no fixture ${name}`)
  const { bytes, options } = found
  const encoding = bytes[0] === 0xff ? 'utf16le' : bytes.some((byte) => byte > 0x7f) ? 'latin1' : 'utf8'
  return readStatement(Buffer.from(edit(Buffer.from(bytes).toString(encoding)), encoding), options)
}

function line(row: StatementRow): string {
  const short = (time: string | null) => (time ?? '?').replace('2026-', '').replace('Z', '')
  switch (row.row) {
    case 'trade':
      return `${row.login ?? ''}/${row.id} ${row.side} ${row.volume} ${row.symbol} ${short(row.openedAt)} ${short(row.at)} ${row.openPrice} ${row.closePrice} ${row.profit}`
    case 'transfer':
      return `${row.login ?? ''}/${row.id} ${row.why} ${row.amount} ${short(row.at)}`
    case 'day':
      return `${row.login} ${short(row.date)} ${short(row.at)} ${row.balance} ${row.equity}`
    default:
      return `${row.row}: ${row.reason}`
  }
}

const mt4 = [
  '/9001 deposit 100000.00 11-01T21:00:00',
  '/5001 buy 0.10 eurusd 11-02T09:10:00 11-02T09:30:00 1.08410 1.08535 11.80',
  'skipped: a cancelled order',
  'skipped: a credit',
  '/5011 sell 0.50 xauusd 11-03T08:00:00 11-03T11:02:44 4010.10 4014.60 -228.50',
  '/5012 sell 0.50 xauusd 11-03T08:00:00 11-04T07:30:00 4010.10 4013.00 -152.80',
  '/9003 withdrawal -1000.00 11-05T08:00:00',
]
const mt5 = [
  '/5001 buy 0.10 EURUSD 11-02T09:10:00 11-02T09:30:00 1.08410 1.08535 11.80',
  '/5002 sell 1.50 GBPJPY 11-02T11:00:05 11-03T00:15:30 194.512 194.870 -365.98',
  '/5003 buy 2.00 XAUUSD 11-06T18:00:00 11-09T08:45:59 3980.12 3973.50 -1371.40',
  '/5021 buy 0.10 GBPUSD 11-04T08:00:00 11-04T09:00:00 1.30000 1.30100 9.70',
  '/5022 sell 0.10 GBPUSD 11-04T09:00:00 11-04T10:00:00 1.30100 1.30050 5.00',
  '/9001 deposit 100000.00 11-01T21:00:00',
  '/9002 withdrawal -1000.00 11-05T08:00:00',
  '/9003 correction -0.05 11-06T08:00:00',
  'skipped: a credit',
]
const shorter = mt5.map((row) =>
  row
    .replace('1.08410', '1.0841')
    .replace('194.870', '194.87')
    .replace('3973.50', '3973.5')
    .replace('1.30000', '1.3')
    .replaceAll('1.30100', '1.301')
    .replace('1.30050', '1.3005'),
)
const days = [
  '70000001 11-02 11-02T21:59:59 100011.80 99986.80',
  '70000002 11-02 11-02T21:59:59 49634.02 49634.02',
  '70000003 11-02 11-02T21:59:59 98628.60 99103.60',
  '70000001 11-03 11-03T21:59:59 99645.82 99645.82',
]

describe('a statement of MetaTrader', () => {
  it.each([
    ['mt4-statement.htm', mt4],
    ['mt4-detailed.htm', mt4],
    ['mt4-ru.htm', mt4],
    ['mt5-history.html', mt5],
    ['mt5-history-utf8.html', mt5],
    ['mt5-history-ru.html', mt5],
    ['mt5-history-it.html', mt5],
    ['mt5-history-pt.html', mt5],
    ['mt5-history.xlsx', shorter],
    ['mt5-history-ru.xlsx', shorter],
    ['mt5-manager-daily.csv', days],
    ['mt5-manager-daily-de.csv', days],
    [
      'mt5-manager-positions.csv',
      [
        ...mt5.slice(0, 3).map((row) => `70000001${row}`),
        '70000002/5001 buy 0.10 EURUSD 11-02T09:10:00 11-02T09:30:00 1.08410 1.08535 12.25',
        '70000003/5031 buy 0.40 EURUSD 11-02T09:10:00 11-02T09:30:00 1.08410 1.08535 12.50',
        '70000003/5031#2 buy 0.60 EURUSD 11-02T09:10:00 11-02T10:00:00 1.08410 1.08600 76.00',
      ],
    ],
    [
      'mt5-manager-deals.csv',
      [
        '70000001/9001 deposit 100000.00 11-01T07:00:00',
        'skipped: a fill',
        'skipped: a fill',
        '70000002/9102 withdrawal -250.00 11-03T06:00:00',
        '70000001/9103 charge -1.50 11-04T06:00:00',
        'skipped: a credit',
        'skipped: a fill',
      ],
    ],
  ])('is read to the cent and the second: %s', (name, rows) => {
    const found = read(name)
    expect(found.rows.map(line)).toEqual(rows)
    expect(found.says).toBe('The file agrees with itself')
    expect(found.file.format).toBe(fixtures[name]?.format)
  })

  it('names its account, and when it was made', () => {
    expect(read('mt4-ru.htm').file).toMatchObject({
      encoding: 'windows-1251',
      account: { login: '70000001', currency: 'USD', server: null },
      until: '2026-11-09T16:30:00Z',
    })
    expect(read('mt5-history-ru.html').file).toMatchObject({
      encoding: 'utf-16le',
      account: { login: '70000001', currency: 'USD', server: 'Example-Live' },
      until: '2026-11-09T16:30:00Z',
    })
    expect(read('mt4-detailed.htm').file.encoding).toBe('windows-1252')
    expect(read('mt5-manager-daily-de.csv').file).toMatchObject({
      encoding: 'utf-16le',
      kind: 'days',
      account: { login: null, currency: null, server: null },
    })
  })
})

const mt4Total = (before: number) =>
  new RegExp(
    String.raw`(Closed Transactions[^]*?colspan=10>&nbsp;</td>(?:\s*<td class=mspt>[^<]*</td>){${before}}\s*<td class=mspt>)[^<]*`,
  )
const mt4Label = (label: string) => new RegExp(String.raw`(<b>${label}:</b></td>\s*<td[^>]*><b>)[^<]*`)
const mt5Total = (before: number) =>
  new RegExp(String.raw`(colspan="8"[^>]*></td>(?:<td nowrap><b>[^<]*</b></td>){${before}}<td nowrap><b>)[^<]*`)
const mt5Label = (label: string) => new RegExp(String.raw`(>${label}</td><td[^>]*><b>)\d*`)

describe('a check', () => {
  it.each([
    ['mt4-detailed.htm', 'total commission', mt4Total(0), '-7.60'],
    ['mt4-detailed.htm', 'total taxes', mt4Total(1), '0.00'],
    ['mt4-detailed.htm', 'total swap', mt4Total(2), '-4.00'],
    ['mt4-detailed.htm', 'total profit', mt4Total(3), '357.50'],
    ['mt4-detailed.htm', 'closed profit', /(Closed P\/L:<\/b><\/td>\s*<td[^>]*><b>)[^<]*/, '-369.40'],
    ['mt4-detailed.htm', 'whole file', /(<\/table>\r\n<\/div><\/body>)<\/html>/, ''],
    ['mt4-detailed.htm', 'closed trade profit', mt4Label('Closed Trade P/L'), '-369.40'],
    ['mt4-detailed.htm', 'deposits and withdrawals', mt4Label('Deposit/Withdrawal'), '98 000.00'],
    ['mt4-detailed.htm', 'balance', mt4Label('Balance'), '98 630.40'],
    ['mt4-detailed.htm', 'equity', mt4Label('Credit Facility'), '0.00'],
    ['mt4-detailed.htm', 'free margin', mt4Label('Free Margin'), '98 992.84'],
    ['mt4-detailed.htm', 'net profit', mt4Label('Gross Profit'), '1 000.00'],
    ['mt4-detailed.htm', 'net profit of the rows', mt4Label('Total Net Profit'), '-369.00'],
    ['mt5-history.html', 'balance chain', /(<td nowrap>-353\.17<\/td><td nowrap>)[^<]*/, '99 600.00'],
    ['mt5-history.html', 'total commission', mt5Total(0), '-25.00'],
    ['mt5-history.html', 'total fee', mt5Total(1), '0.00'],
    ['mt5-history.html', 'total swap', mt5Total(2), '-35.00'],
    ['mt5-history.html', 'total profit', mt5Total(3), '97 350.00'],
    ['mt5-history.html', 'final balance', mt5Total(4), '97 288.00'],
    ['mt5-history.html', 'closed profit', /(<td colspan="2">)-353\.17/, '-53.17'],
    ['mt5-history.html', 'whole file', /(<\/body>\r\n)<\/html>/, ''],
    ['mt5-history.html', 'balance', mt5Label('Balance:'), '8'],
    ['mt5-history.html', 'equity', mt5Label('Equity:'), '8'],
    ['mt5-history.html', 'free margin', mt5Label('Free Margin:'), '8'],
    ['mt5-history.html', 'net profit', mt5Label('Gross Profit:'), '88'],
    ['mt5-history.html', 'trades long and short', mt5Label('Total Trades:'), '6'],
    ['mt5-history-pt.html', 'balance chain', /(<td nowrap>-353\.17<\/td><td nowrap>)[^<]*/, '99 600.00'],
    ['mt5-history-ru.html', 'closed profit', /(<td colspan="2">)-353\.17/, '-53.17'],
    ['mt5-manager-daily.csv', 'balance of a day', /(;50000\.00;)-365\.98/, '-65.98'],
    ['mt5-manager-daily.csv', 'equity of a day', /(;)-25\.00(?=;99986)/, '-26.00'],
    ['mt5-manager-daily.csv', 'balance chain', /(Ada Example;)100011\.80(?=;0\.00;-365)/, '100011.00'],
    ['mt5-manager-deals.csv', 'total commission', /(Total;+)-25\.20/, '-25.00'],
    ['mt5-manager-deals.csv', 'total fee', /(Total;+-25\.20;)0\.00/, '1.00'],
    ['mt5-manager-deals.csv', 'total swap', /(Total;+-25\.20;0\.00;)-35\.71/, '-35.00'],
    ['mt5-manager-deals.csv', 'total profit', /(;out;XAUUSD;[^\n]*;)-1324\.00/, '-1234.00'],
    ['mt5-manager-deals.csv', 'whole file', /(\r\n)Total;[^]*/, ''],
    ['ctrader.csv', 'net of a row', /("-353\.17",)"-365\.98"/, '"-365.00"'],
    ['ctrader.csv', 'balance chain', /("-365\.98",)"[\d.]*"/, '"9000.00"'],
    ['nt8-trades-us.csv', 'cumulated profit', /(\$1,200\.00",)\$841\.88/, '$840.88'],
    ['ftmo.csv', 'a ticket twice', /(\n)5002/, '5003'],
    ['topstepx-10.csv', 'a ticket twice', /(\n)8102/, '8101'],
    ['topstepx-11.csv', 'a ticket twice', /(\n"?)8102/, '8101'],
    ['topstepx-13.csv', 'a ticket twice', /(\n"?)8102/, '8101'],
  ])('of %s tells an edited cell: %s', (name, check, pattern, other) => {
    const edited = read(name, (text) => {
      expect(text).toMatch(pattern)
      return text.replace(pattern, (_, kept: string | undefined) => `${kept ?? ''}${other}`)
    })
    const told = edited.checks.filter(({ agrees }) => !agrees).map((each) => each.name)
    expect(told).toContain(check)
    expect(read(name).checks.map((each) => each.name)).toContain(check)
    expect(edited.says).toMatch(/^The file disagrees with itself: /)
  })

  it.each([
    ['exness.csv', '5003'],
    ['match-trader.csv', '5003'],
    ['mt5-manager-positions.csv', '5003'],
    ['dxtrade-fills.csv', '5003:2'],
  ])('of %s tells the ticket of a row that is another one then, and equal to it', (name, ticket) => {
    // Equal trades under two tickets are two trades; under one ticket, a row was copied.
    const withTwin = (twin: string) => (text: string) =>
      text.replace(new RegExp(`\n.*\\b${ticket}\\b.*`), (row) => `${row}${row.replace(ticket, twin)}`)
    expect(read(name, withTwin('5999')).checks).toMatchObject([{ name: 'a ticket twice', agrees: true }])
    const edited = read(name, withTwin(ticket))
    expect(edited.checks).toMatchObject([{ name: 'a ticket twice', agrees: false }])
    expect(edited.says).toMatch(/^The file disagrees with itself: a ticket twice in line \d+$/)
  })

  it.each(Object.keys(fixtures).filter((name) => name.startsWith('tradovate') || name === 'ctrader-few-columns.csv'))(
    'is none of %s',
    (name) => expect(read(name)).toMatchObject({ checks: [], says: 'Nothing in the file can be checked' }),
  )
})
