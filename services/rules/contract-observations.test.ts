import { describe, expect, it } from 'vitest'
import {
  clock,
  consistency,
  dailyLoss,
  figures,
  fixed,
  floors,
  followsClose,
  followsEquity,
  lastOf,
  linesOf,
  maximumLoss,
  minimumDays,
  on,
  payout,
  percent,
  profitTarget,
  state,
  states,
  trade,
  transfer,
  wholeDay,
} from '#test-support/rules.ts'

// Each test quotes the sentence of rules.md that it is about.

describe('observations', () => {
  it('"Equity is then the balance, unless the last state said `open: true`: then equity stays as it was reported until the next state."', () => {
    const lines = linesOf(
      { rules: [] },
      state(on(2), '100000.00', '100450.00'),
      trade(on(3), '600.00'),
      state(on(4), '100600.00'),
      trade(on(5), '1.00'),
    )
    expect(lines.map(({ equity }) => equity)).toEqual(['100450.00', '100450.00', '100600.00', '100601.00'])
  })

  it('"`payout` (the gross amount) and `transfer` move balance and equity and are no profit"', () => {
    const line = lastOf(
      { rules: [consistency()] },
      state(on(2), '101000.00', '102000.00'),
      payout(on(3), '500.00'),
      transfer(on(4), '-50.00'),
    )
    expect(line).toMatchObject({ balance: '100450.00', equity: '101450.00', rules: [{ profit: '1000.00' }] })
  })

  it('"a `transfer` may carry an `id`, so that two equal ones at one instant are two"', () => {
    const twice = (...ids: string[]) =>
      lastOf({ rules: [] }, ...ids.map((id) => ({ ...transfer(on(2), '1.00'), id }))).balance
    expect(twice('1', '2')).toBe('100002.00')
    expect(twice('1', '1')).toBe('100001.00')
  })

  it('"Breached if the lowest is at the floor that held before the day, or the close at the floor after it"', () => {
    const stage = { rules: [maximumLoss({ limit: fixed('3000.00'), ...followsEquity })] }
    expect(lastOf(stage, wholeDay(on(2), '97000.00', '104000.00', '103000.00')).cause).toMatchObject({
      floor: '97000.00',
      measured: '97000.00',
    })
    expect(lastOf(stage, wholeDay(on(2), '98000.00', '104000.00', '101000.00')).cause).toMatchObject({
      floor: '101000.00',
      measured: '101000.00',
    })
    expect(states(linesOf(stage, wholeDay(on(2), '98000.00', '101000.00', '99000.00')))).toEqual(['undetermined'])
    expect(states(linesOf(stage, wholeDay(on(2), '98000.01', '101000.00', '99000.00')))).toEqual(['kept'])
  })

  it('"Something is open after it where equity is not the balance."', () => {
    const day = wholeDay(on(2), '99000.00', '101000.00', '100000.00', { equity: '100500.00' })
    expect(lastOf({ rules: [] }, day, trade(on(3), '100.00')).equity).toBe('100500.00')
  })

  it('"Order: instant; of one instant clock, transfer, payout, trade, day, state; then id; then canonical JSON."', () => {
    const at = on(2)
    const ordered = [
      clock(at),
      transfer(at, '1.00'),
      payout(at, '2.00'),
      trade(at, '3.00', { id: 'A' }),
      trade(at, '4.00', { id: 'B' }),
      wholeDay(at, '1.00', '3.00', '2.00'),
      state(at, '100.00'),
      state(at, '99.00'),
    ]
    const expected = linesOf({ rules: [] }, ...ordered)
    expect(expected.map(({ balance }) => balance)).toEqual([
      '100000.00',
      '100001.00',
      '99999.00',
      '100002.00',
      '100006.00',
      '2.00',
      '100.00',
      '99.00',
    ])
    // "Equal in all fields is the same."
    expect(linesOf({ rules: [] }, ...ordered.toReversed(), ...ordered)).toEqual(expected)
  })
})

describe('lines', () => {
  it('"After `breached` or `passed` it stays, and so do rules and cause."', () => {
    const lines = linesOf(
      { rules: [maximumLoss(), minimumDays()] },
      state(on(2), '89000.00'),
      state(on(9), '120000.00'),
    )
    expect(lines[1]).toEqual({ ...lines[0], at: on(9), day: '2026-11-09', balance: '120000.00', equity: '120000.00' })
  })

  it('"`rules` in the programme\'s order", "`nearest`: the limit with the least room, of equals the first, `null` without one"', () => {
    const line = lastOf({ rules: [profitTarget(), maximumLoss(), dailyLoss()] }, clock(on(2)))
    expect(line.rules.map(({ kind }) => kind)).toEqual(['profit-target', 'maximum-loss', 'daily-loss'])
    expect(line.nearest).toBe('daily-loss')
    expect(lastOf({ rules: [maximumLoss({ limit: percent('5') }), dailyLoss()] }, clock(on(2))).nearest).toBe(
      'maximum-loss',
    )
    expect(lastOf({ rules: [profitTarget()] }, clock(on(2))).nearest).toBeNull()
  })

  it('"`room`: measured value − floor, never below 0.00"', () => {
    expect(figures(lastOf({ rules: [maximumLoss()] }, state(on(2), '80000.00')))).toMatchObject({ room: '0.00' })
  })

  it('"`needed` is the profit at which the best is within the share", "`share` may exceed 100"', () => {
    const line = lastOf({ rules: [consistency()] }, trade(on(2), '1500.00'), trade(on(3), '-500.00'))
    expect(line.rules).toEqual([
      { kind: 'consistency', best: '1500.00', profit: '1000.00', share: '150.00', needed: '3000.00', state: 'open' },
    ])
  })

  it('follows the close of days', () => {
    expect(
      floors(
        linesOf(
          { rules: [maximumLoss(followsClose)] },
          state(on(2), '104000.00'),
          state(on(3), '103000.00'),
          clock(on(4)),
        ),
      ),
    ).toEqual(['90000.00', '94000.00', '94000.00'])
  })
})
