import { describe, expect, it } from 'vitest'
import {
  clock,
  consistency,
  figures,
  fixed,
  followsBalance,
  followsEquity,
  lastOf,
  linesOf,
  maximumLoss,
  minimumDays,
  on,
  payout,
  payouts,
  state,
  statuses,
  trade,
  wholeDay,
} from '#test-support/rules.ts'

// The readings that docs/rules.md lists. Those without a test here are tested where rules.md is.
describe('where rules.md leaves something open', () => {
  it('`restarts` takes the balance as high, and the equity of that moment raises it', () => {
    const stage = {
      rules: [
        maximumLoss({ limit: fixed('5000.00'), ...followsEquity }),
        maximumLoss({ limit: fixed('5000.00'), ...followsBalance }),
      ],
      payouts: payouts({ floor: 'restarts' }),
    }
    const line = lastOf(stage, state(on(2), '106000.00', '109000.00'), payout(on(3), '1000.00'))
    expect(line.rules).toMatchObject([{ floor: '103000.00' }, { floor: '100000.00' }])
  })

  it('`falls` and `restarts` of a floor that follows nothing, and `falls` of a locked one, limit what is available', () => {
    const available = (floor: 'falls' | 'restarts', change: Parameters<typeof maximumLoss>[0]) =>
      lastOf(
        {
          rules: [maximumLoss({ limit: fixed('1000.00'), ...change })],
          payouts: payouts({ floor }),
        },
        state(on(2), '102000.00', '99500.00'),
      ).payout?.available
    expect(available('falls', {})).toBe('499.99')
    expect(available('restarts', {})).toBe('499.99')
    const locked = { ...followsBalance, locksAbove: fixed('0.00'), measures: 'balance' as const }
    expect(available('falls', locked)).toBe('1999.99')
    expect(available('restarts', locked)).toBe('2000.00')
  })

  it('a first observation that is not reported does not open the stage', () => {
    const computed = state(on(2), '100000.00', '100000.00', { quality: 'computed' })
    const days = linesOf({ rules: [minimumDays()] }, computed, clock(on(4)), clock(on(5))).map(
      (line) => figures(line)?.days,
    )
    expect(days).toEqual([1, 1, 2])
  })

  it('the first trade is the one that closes first', () => {
    const stage = { rules: [], payouts: payouts({ firstAfterDays: 5, firstCountsFrom: 'first-trade' }) }
    const line = lastOf(stage, clock(on(2)), trade(on(4), '1.00', { openedAt: on(2, '12:30') }))
    expect(line.payout?.from).toBe('2026-11-09')
  })

  it('the highest of a day raises a floor that follows equity at every change, the close of equity is its equity', () => {
    const stage = {
      rules: [maximumLoss(followsEquity), maximumLoss({ follows: { value: 'equity', at: 'day-close' } })],
    }
    const day = wholeDay(on(2), '100000.00', '104000.00', '102000.00', { equity: '103000.00' })
    expect(lastOf(stage, day, clock(on(3))).rules).toMatchObject([{ floor: '94000.00' }, { floor: '93000.00' }])
  })

  it('a consistency without profit as only goal is passed', () => {
    expect(statuses(linesOf({ rules: [consistency()] }, clock(on(2))))).toEqual(['passed'])
  })

  it('a payout above what is available leaves the account', () => {
    const stage = { rules: [], payouts: payouts({ cap: fixed('100.00') }) }
    expect(lastOf(stage, state(on(2), '101000.00'), payout(on(3), '1500.00'))).toMatchObject({
      balance: '99500.00',
      payout: { profit: '-500.00', missing: ['profit'] },
    })
  })
})
