import { describe, expect, it } from 'vitest'
import type { StatementOptions } from '../statement-vocabulary.ts'
import { readStatement } from './read-statement.ts'
import { UnreadableStatement } from './unreadable-statement.ts'

const heading =
  'Ticket;Open;Type;Volume;Symbol;Price;SL;TP;Close;Price;Swap;Commissions;Profit;Pips;"Trade duration in seconds"'
const trade = (ticket: string, rest = '-1.00;-2.50;1204.10') =>
  `${ticket};2026-11-02 09:10:00;buy;0.1;EURUSD;1.08410;0;0;2026-11-02 09:30:00;1.08535;${rest};12.5;1200`
const file = (...rows: readonly string[]) => new TextEncoder().encode([heading, ...rows].join('\n'))

const read = (bytes: Uint8Array, options: StatementOptions = { zone: 'America/New_York+7' }) =>
  readStatement(bytes, options)
function faultsOf(bytes: Uint8Array, options: StatementOptions = {}) {
  try {
    readStatement(bytes, options)
  } catch (error) {
    if (error instanceof UnreadableStatement) return error.faults
    throw error
  }
  return []
}
const fieldsOf = (bytes: Uint8Array, options: StatementOptions = {}) =>
  faultsOf(bytes, options).map(({ field }) => field)

describe('a statement', () => {
  it('is read as rows, with what the file says of itself', () => {
    const { file: facts, rows, checks, hints, says } = read(file(trade('5001'), trade('5002')))
    expect(facts).toMatchObject({
      format: 'ftmo',
      encoding: 'utf-8',
      kind: 'trades',
      zone: { name: 'America/New_York+7', from: 'given' },
      account: { login: null, currency: null, server: null },
      until: null,
    })
    expect(rows[0]).toEqual({
      line: 2,
      row: 'trade',
      login: null,
      id: '5001',
      symbol: 'EURUSD',
      side: 'buy',
      volume: '0.10',
      openedAt: '2026-11-02T07:10:00Z',
      at: '2026-11-02T07:30:00Z',
      openPrice: '1.08410',
      closePrice: '1.08535',
      profit: '1200.60',
    })
    expect(checks).toEqual([{ name: 'a ticket twice', stated: null, computed: null, agrees: true }])
    expect([hints, says]).toEqual([[], 'The file agrees with itself'])
  })

  it('names the line of a row that cannot be read, and the cell', () => {
    const { rows, says } = read(file(trade('5001'), trade('5002', '-1.00;-2.50;3O.50'), `${trade('5003')};1;2`))
    expect(rows.slice(1)).toEqual([
      { line: 3, row: 'fault', reason: '"3O.50" is no amount' },
      { line: 4, row: 'fault', reason: 'expected 15 cells, as the headings are, and found 17' },
    ])
    expect(says).toBe('The file agrees with itself')
  })

  it('tells a ticket twice, and gives it a number', () => {
    const { rows, checks, says } = read(file(trade('5001', '0;0;9.00'), trade('5001', '0;0;7.00')))
    expect(rows.map((row) => ('id' in row ? row.id : null))).toEqual(['5001#2', '5001'])
    expect(checks).toEqual([{ name: 'a ticket twice', line: 3, stated: null, computed: null, agrees: false }])
    expect(says).toBe('The file disagrees with itself: a ticket twice in line 3')
  })

  it('asks what the file does not say, all at once', () => {
    const comma = trade('5001').replaceAll(/\d+\.\d+/g, '1,234')
    expect(fieldsOf(file(comma))).toEqual(['zone', 'decimal'])
    expect(fieldsOf(file(comma), { zone: 'UTC+2' })).toEqual(['zone', 'decimal'])
    expect(read(file(comma), { zone: 'UTC', decimal: ',' }).rows[0]).toMatchObject({ openPrice: '1.234' })
    expect(read(file(comma), { zone: 'UTC', decimal: '.' }).rows[0]).toMatchObject({ openPrice: '1234' })
  })

  it('is refused where an option is wrong, or no format fits', () => {
    const one = file(trade('1'))
    expect(fieldsOf(one, { zone: 'UTC', format: 'mt9' })).toEqual(['format'])
    expect(fieldsOf(one, { zone: 'UTC', format: 'exness' })).toEqual(['format'])
    expect(fieldsOf(one, { zone: 'UTC', kind: 'days' })).toEqual(['kind'])
    expect(fieldsOf(one, { zone: 'UTC', decimal: ',' })).toEqual(['decimal'])
    expect(fieldsOf(new TextEncoder().encode('a,b\n1,2'), { zone: 'UTC' })).toEqual(['mapping'])
    expect(faultsOf(file())).toMatchObject([{ field: 'zone' }])
    expect(fieldsOf(new Uint8Array([0xd0, 0xcf, 0x11, 0xe0, 0]))).toEqual(['statementFile'])
  })

  it('hints at weeks in which servers keep two clocks', () => {
    const march = trade('1').replaceAll('2026-11-02', '2026-03-16')
    expect(read(file(trade('2'), march)).hints).toMatchObject([/2026-03-16.*Europe\/Athens.*America\/New_York\+7/])
    expect(read(file(march), { zone: 'Europe/Prague' }).hints).toEqual([])
  })

  it('takes the sign of the euro and Russian words for what they are', () => {
    const ansi = Buffer.from([heading, trade('1').replace('1204.10', '1204.10 \u0080')].join('\n'), 'latin1')
    expect(read(ansi)).toMatchObject({ file: { encoding: 'windows-1252' }, rows: [{ profit: '1200.60' }] })
    const wide = Buffer.from(`\ufeff${[heading, trade('1')].join('\r\n')}`, 'utf16le')
    expect(read(wide).file.encoding).toBe('utf-16le')
    expect(read(wide.subarray(2)).rows).toHaveLength(1)
  })
})
