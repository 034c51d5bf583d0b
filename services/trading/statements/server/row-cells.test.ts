import { expect, it } from 'vitest'
import { dayRow, orFault, skippedRow, transferRow } from './row-cells.ts'
import type { ReadTime } from './statement-format.ts'
import { amountCheck, disagreement, rowCheck, saysOf } from './statement-checks.ts'
import { type Decimal, negated } from './values/decimal.ts'

const row = { line: 7, cells: ['1'] }
const money = (cents: number): Decimal => ({ units: BigInt(cents), decimals: 2 })
const timeOf = (text: string): ReadTime => {
  const local = Date.parse(`${text}Z`)
  return { ms: local - 3_600_000, local, hasTime: text.includes('T'), cell: text }
}
const instantOf = (local: number): ReadTime => ({ ms: local - 3_600_000, local, hasTime: true, cell: '' })
const day = (time: string, lowest: Decimal | null = null, highest: Decimal | null = null) =>
  orFault(row, () =>
    dayRow(row, {
      ...{
        login: '1',
        time: timeOf(time),
        instantOf,
        balance: money(100),
        equity: money(90),
        lowest,
        highest,
        trades: null,
      },
    }),
  ).printed

it('puts a day at 00:00:00 into the last second of the one before, and one without a time into its own', () => {
  expect(day('2026-11-03T00:00:00')).toMatchObject({ date: '2026-11-02', at: '2026-11-02T22:59:59Z' })
  expect(day('2026-11-02')).toMatchObject({ date: '2026-11-02', at: '2026-11-02T22:59:59Z' })
  expect(day('2026-11-02T23:58:00')).toMatchObject({ date: '2026-11-02', at: '2026-11-02T22:58:00Z' })
})

it('refuses days whose parts cannot be', () => {
  expect(day('2026-11-02', money(91), money(95))).toMatchObject({ row: 'fault', reason: /outside/ })
  expect(day('2026-11-02', money(95), money(91))).toMatchObject({ row: 'fault', reason: /lowest is above/ })
})

it('refuses a ledger row without an id', () => {
  const transfer = (id: string) =>
    orFault(row, () => {
      return transferRow(row, {
        login: null,
        id,
        at: timeOf('2026-11-02T10:00:00'),
        amount: [negated(money(5))],
        why: 'tax',
      })
    }).printed
  expect(transfer('9')).toMatchObject({ row: 'transfer', id: '9', amount: '-0.05', why: 'tax' })
  expect(transfer('')).toMatchObject({ row: 'fault', reason: 'the row has no id' })
  expect(skippedRow(row, 'a credit').printed).toEqual({ line: 7, row: 'skipped', reason: 'a credit' })
})

it('says what disagrees, three at most', () => {
  const total = amountCheck('closed profit', money(120410), money(120110))
  expect(saysOf([total])).toBe('The file disagrees with itself: closed profit is 1204.10, computed 1201.10')
  expect(amountCheck('closed profit', money(120410), money(120411)).agrees).toBe(true)
  const thousandths = (units: bigint): Decimal => ({ units, decimals: 3 })
  expect([1011n, 989n, 1012n].map((units) => amountCheck('a', money(100), thousandths(units)).agrees)).toEqual([
    true,
    true,
    false,
  ])
  const rows = [1, 2, 3, 4].flatMap((line) => disagreement(line, money(5), money(line)) ?? [])
  expect(saysOf(rowCheck('net of a row', rows)).split(';')).toHaveLength(3)
  expect(saysOf([])).toBe('Nothing in the file can be checked')
})
