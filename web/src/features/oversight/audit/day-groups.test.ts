import { expect, it } from 'vitest'
import type { AuditEvent } from '#services/oversight/audit/audit-event-api.ts'
import { changesOver, linesOf } from './day-groups.ts'

const entry = (
  number: number,
  at: string,
  type: string,
  from = '',
  to = '',
  accountId = 'ada12345-a1',
): AuditEvent => ({
  number,
  at,
  type,
  userId: 'ada12345',
  accountId,
  actor: { kind: 'admin', label: 'desk' },
  changes: [{ field: type === 'BalanceChanged' ? 'account.balance' : 'account.profitLoss', from, to }],
  reason: null,
  requestId: 'r1',
})

it('takes the balances of a day together and leaves all other entries where they are', () => {
  const entries = [
    entry(8, '2026-03-04T12:00:00', 'BalanceChanged', '5200.00', '5300.00'),
    entry(7, '2026-03-03T16:00:00', 'ProfitLossChanged', '100.00', '200.00'),
    entry(6, '2026-03-03T16:00:00', 'BalanceChanged', '5100.00', '5200.00'),
    entry(5, '2026-03-03T12:00:00', 'PayoutApproved'),
    entry(4, '2026-03-03T10:00:00', 'BalanceChanged', '5000.00', '5100.00'),
  ]
  const lines = linesOf(entries)
  expect(lines.map((line) => ('entry' in line ? line.entry.number : line.ofDay.map(({ number }) => number)))).toEqual([
    8,
    [7, 6, 4],
    5,
  ])
  const [, day] = lines
  if (!day || 'entry' in day) throw new Error('The day has no line')
  expect(day.title).toBe('Trading of the day')
  expect(changesOver(day.ofDay)).toEqual([
    { field: 'account.balance', from: '5000.00', to: '5200.00' },
    { field: 'account.profitLoss', from: '100.00', to: '200.00' },
  ])
})

it('never takes a deposit or a payout into the trading of a day', () => {
  const moved = (number: number, from: string, to: string, kind?: string): AuditEvent => {
    const one = entry(number, `2026-03-03T1${number}:00:00`, 'BalanceChanged', from, to)
    return kind === undefined
      ? one
      : { ...one, changes: [{ field: 'account.entry', from: null, to: kind }, ...one.changes] }
  }
  const payout = { ...moved(5, '48100.00', '48050.00'), type: 'PayoutDeducted' }
  const lines = linesOf([
    moved(7, '48030.00', '48029.00'),
    moved(6, '48050.00', '48030.00'),
    payout,
    moved(4, '48000.00', '48100.00'),
    moved(3, '50000.00', '48000.00'),
    moved(2, '0.00', '50000.00', 'deposit'),
  ])
  expect(lines.map((line) => ('entry' in line ? line.entry.number : line.ofDay.map(({ number }) => number)))).toEqual([
    [7, 6],
    5,
    [4, 3],
    2,
  ])
  const spans = lines.map((line) => ('entry' in line ? [] : changesOver(line.ofDay).map(({ from, to }) => [from, to])))
  expect(spans).toEqual([[['48050.00', '48029.00']], [], [['50000.00', '48100.00']], []])
})

it('keeps the balances of two accounts apart', () => {
  const at = '2026-03-03T12:00:00'
  const lines = linesOf([
    entry(7, at, 'BalanceChanged', '5100.00', '5200.00', 'ada12345-a2'),
    entry(6, at, 'BalanceChanged', '900.00', '800.00'),
    entry(5, at, 'BalanceChanged', '5000.00', '5100.00', 'ada12345-a2'),
  ])
  expect(lines.map((line) => ('entry' in line ? line.entry.number : line.ofDay.map(({ number }) => number)))).toEqual([
    [7, 5],
    6,
  ])
})

it('does not give the observations of the last of several entries as those of the day', () => {
  const recorded = (to: number) => ({ changes: [{ field: 'observation.count', from: null, to }] })
  const balance = { changes: [{ field: 'account.balance', from: '5000.00', to: '5100.00' }] }
  expect(changesOver([balance, recorded(3)]).map(({ to }) => to)).toEqual([3, '5100.00'])
  expect(changesOver([recorded(2), balance, recorded(3)]).map(({ to }) => to)).toEqual(['5100.00'])
})
