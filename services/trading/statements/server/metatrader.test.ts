import { describe, expect, it } from 'vitest'
import { fixtures } from '#test-support/statements/fixtures.ts'
import { readStatement } from './read-statement.ts'

const ZONE = { zone: 'America/New_York+7' }

/** A fixture in its text, with one text replaced. */
function edited(name: string, from: string | RegExp, to: string): Uint8Array {
  const bytes = fixtures[name]?.bytes ?? new Uint8Array()
  const isWide = bytes[0] === 0xff
  const text = Buffer.from(bytes).toString(isWide ? 'utf16le' : 'latin1')
  const changed = text.replace(from, to)
  expect(changed).not.toBe(text)
  return Buffer.from(changed, isWide ? 'utf16le' : 'latin1')
}
const read = (bytes: Uint8Array) => readStatement(bytes, ZONE)
const disagreeing = (bytes: Uint8Array) =>
  read(bytes)
    .checks.filter(({ agrees }) => !agrees)
    .map(({ name }) => name)
const lines = (rows: readonly string[]) => Buffer.from(rows.join('\n'))

describe('a report of MetaTrader 5', () => {
  it('tells an edited profit by the deals, and says both sums', () => {
    const bytes = edited('mt5-history.html', '<td colspan="2">12.50</td>', '<td colspan="2">1200.50</td>')
    expect(disagreeing(bytes)).toEqual(['closed profit'])
    expect(read(bytes).says).toBe('The file disagrees with itself: closed profit is -522.88, computed -1710.88')
  })

  it('tells an edited symbol of a deal with a fee, which then is of no position', () => {
    const bytes = edited('mt5-history.html', /(7102<\/td><td[^>]*>)GBPUSD/, '$1GBPUSE')
    expect(read(bytes).rows.at(-1)).toMatchObject({ row: 'skipped' })
    expect(disagreeing(bytes)).toEqual(['closed profit'])
  })

  it('is not whole without its end, the totals of the deals or the table of positions', () => {
    const text = Buffer.from(fixtures['mt5-history-utf8.html']?.bytes ?? []).toString()
    const whole = (part: string) => disagreeing(Buffer.from(part)).includes('whole file')
    expect(whole(text)).toBe(false)
    expect(whole(text.replace('</html>', ''))).toBe(true)
    expect(whole(text.replace(/<tr align="right"><td[^>]*colspan="8"/, '<tr><td hidden class="hidden"'))).toBe(true)
    expect(whole(text.slice(0, text.length / 2))).toBe(true)
    expect(whole(text.replace('<b>Positions</b>', '<b>Posi</b>').replace('<b>Position</b>', '<b>1</b>'))).toBe(true)
  })

  it('reads a cell outside a row as the first of one, as browsers do', () => {
    const lost = edited('mt5-history.html', /<tr([^>]*)><td>2026\.11\.02 11:10:00/, '<ur$1><td>2026.11.02 11:10:00')
    expect(read(lost).rows).toEqual(read(fixtures['mt5-history.html']?.bytes ?? new Uint8Array()).rows)
  })

  it('gives a fee to the position that its deal can be of, and skips one of none', () => {
    const heading = (cells: readonly string[]) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`
    const position = (id: string, opened: string, closed: string) =>
      heading([opened, id, 'EURUSD', 'buy', '0.10', '1.1', '', '', closed, '1.2', '0.00', '0.00', '5.00'])
    const deal = (
      id: string,
      at: string,
      side: string,
      direction: string,
      order: string,
      fee: string,
      volume = '0.10',
    ) => heading([at, id, 'EURUSD', side, direction, volume, '1.1', order, '0.00', fee, '0.00', '0.00', '0.00', ''])
    const at = (minute: number) => `2026.11.02 10:${String(minute).padStart(2, '0')}:00`
    const positionHeading = 'Time,Position,Symbol,Type,Volume,Price,S / L,T / P,Time,Price,Commission,Swap,Profit'
    const dealHeading = 'Time,Deal,Symbol,Type,Direction,Volume,Price,Order,Commission,Fee,Swap,Profit,Balance,Comment'
    const { rows } = read(
      lines([
        '<html><table>',
        heading(positionHeading.split(',')),
        position('11', at(0), at(10)),
        position('12', at(0), at(10)),
        position('13', at(5), at(20)),
        heading(['Deals']),
        heading(dealHeading.split(',')),
        // By its order; by the close in its second with its volume, of which there are two; the only one that is open.
        deal('1', at(5), 'buy', 'in', '13', '-0.10'),
        deal('2', at(10), 'sell', 'out', '90', '-0.20'),
        deal('3', at(15), 'sell', 'out', '91', '-0.40', '0.05'),
        deal('4', at(25), 'sell', 'out', '92', '-0.80'),
        '</table></html>',
      ]),
    )
    const profits = rows.map((row) => (row.row === 'trade' ? [row.id, row.profit] : [row.row, row.line]))
    expect(profits).toEqual([
      ['11', '5.00'],
      ['12', '5.00'],
      ['13', '4.50'],
      ['skipped', 9],
      ['skipped', 11],
    ])
  })

  it('lets deals of one second stand in the other order', () => {
    const text = Buffer.from(fixtures['mt5-history-utf8.html']?.bytes ?? []).toString()
    const rows = text.match(/<tr[^>]*><td[^>]*>2026\.11\.04 1[12].*<\/tr>/g)?.filter((row) => row.includes('>71')) ?? []
    const [one = '', other = ''] = rows.map((row) => row.replace(/2026\.11\.04 1[12]:00:00/, '2026.11.04 11:30:00'))
    const swapped = text.replace(rows[0] ?? '', other).replace(rows[1] ?? '', one)
    expect(rows).toHaveLength(2)
    expect(disagreeing(Buffer.from(swapped))).not.toContain('balance chain')
  })
})

describe('a statement of MetaTrader 4', () => {
  it.each([
    ['profit', 'total profit'],
    ['swap', 'total swap'],
  ])('tells an edited %s', (_, check) => {
    const from = check === 'total swap' ? '>-4.10<' : '>-145.00<'
    expect(disagreeing(edited('mt4-statement.htm', from, '>-1.00<'))).toEqual([
      check,
      'closed profit',
      'closed trade profit',
    ])
  })

  it('tells an edited deposit and an edited balance', () => {
    expect(disagreeing(edited('mt4-statement.htm', '>100 000.00<', '>200 000.00<'))).toContain(
      'deposits and withdrawals',
    )
    expect(disagreeing(edited('mt4-statement.htm', /(>Balance:[^]*?>)\d[\d ]+\.\d\d/, '$11.00'))).toEqual([
      'balance',
      'equity',
    ])
  })

  it('is whole without transactions', () => {
    const text = Buffer.from(fixtures['mt4-statement.htm']?.bytes ?? []).toString('latin1')
    const [head = ''] = text.split(/<tr[^>]*><td[^>]*>9001</)
    const none = '<tr align=right><td colspan=13 align=center>No transactions</td></tr>'
    const end = '<tr><td colspan=14><b>Open Trades:</b></td></tr></table></body></html>'
    const { rows, checks } = read(Buffer.from(`${head}${none}${end}`))
    expect(rows).toEqual([])
    expect(checks.find(({ name }) => name === 'whole file')?.agrees).toBe(true)
  })

  it('has a fault for a type that it does not know, and no check that rests on it', () => {
    const { rows, checks } = read(edited('mt4-statement.htm', '>sell<', '>sold<'))
    expect(rows.filter(({ row }) => row === 'fault')).toMatchObject([{ reason: '"sold" is no type of a row' }])
    expect(checks.map(({ name }) => name)).not.toContain('total profit')
    expect(checks.every(({ agrees }) => agrees)).toBe(true)
  })
})

describe('reports of the manager', () => {
  it('tell an edited balance, equity and previous balance', () => {
    const day = /(2026\.11\.03 00:00:00;70000001;[^;]*;)([^;]*);([^;]*);([^;]*);([^;]*);/
    expect(disagreeing(edited('mt5-manager-daily.csv', day, '$1$2;$3;$4;1.00;'))).toEqual([
      'balance of a day',
      'equity of a day',
      'balance chain',
    ])
  })

  it('tell that their totals are missing', () => {
    expect(disagreeing(edited('mt5-manager-deals.csv', /\nTotal.*/, ''))).toEqual(['whole file'])
    expect(disagreeing(edited('mt5-manager-deals.csv', /(\nTotal.*);[^;]*;;USD;.*/, '$1'))).toEqual(['whole file'])
    expect(disagreeing(edited('mt5-manager-deals.csv', '-1.50', '-2.50'))).toEqual(['total profit'])
  })
})

it('refuses a backtest, and says what to export', () => {
  const bytes = edited('mt5-history-utf8.html', /<title>.*<\/title>/, '<title>Strategy Tester Report</title>')
  expect(() => read(bytes)).toThrow(/backtest.*history/)
})
