import { describe, expect, it } from 'vitest'
import {
  clock,
  consistency,
  figures,
  fixed,
  lastOf,
  linesOf,
  maximumLoss,
  minimumDays,
  on,
  payout,
  payouts,
  profitTarget,
  state,
  states,
  trade,
  transfer,
} from '#test-support/rules.ts'

// Each test quotes the sentence of rules.md that it is about.

describe('goals', () => {
  it('"met when the profit is at least the target; `whileOpen: false` counts only while nothing is open"', () => {
    const stage = (change: Parameters<typeof profitTarget>[0]) => ({ rules: [profitTarget(change), minimumDays()] })
    expect(states(linesOf(stage({}), state(on(2), '107999.99'), state(on(2, '13:00'), '108000.00')))).toEqual([
      'open',
      'met',
    ])
    expect(states(linesOf(stage({ measures: 'equity' }), state(on(2), '100000.00', '108000.00')))).toEqual(['met'])
    expect(
      states(
        linesOf(
          stage({ whileOpen: false }),
          state(on(2), '108000.00', '109000.00'),
          state(on(2, '13:00'), '108000.00'),
        ),
      ),
    ).toEqual(['open', 'met'])
  })

  it('"`calendar` (the opening day is 1)", "The present day counts with its values so far."', () => {
    const count = (counts: Parameters<typeof minimumDays>[0], ...observations: Parameters<typeof lastOf>[1][]) =>
      linesOf({ rules: [minimumDays({ days: 9, ...counts })] }, ...observations).map((line) => figures(line)?.days)
    expect(count({}, clock(on(2)), clock(on(4)))).toEqual([1, 3])
    const opened = trade(on(4), '1.00', { openedAt: on(3) })
    expect(
      count(
        { counts: { what: 'traded', day: 'opened' } },
        clock(on(2)),
        opened,
        trade(on(4, '13:00'), '1.00', { openedAt: on(3) }),
      ),
    ).toEqual([0, 1, 1])
    expect(count({ counts: { what: 'traded', day: 'closed' } }, clock(on(2)), opened, trade(on(5), '1.00'))).toEqual([
      0, 1, 2,
    ])
    const result = { atLeast: fixed('500.00'), of: 'closed' } as const
    const observations = [
      trade(on(2), '500.00'),
      trade(on(2, '13:00'), '-1.00'),
      trade(on(3), '500.00'),
      trade(on(4), '-500.00'),
    ]
    expect(count({ counts: { what: 'profit', ...result } }, ...observations)).toEqual([1, 0, 1, 1])
    // "`result` counts a loss of that size too"
    expect(count({ counts: { what: 'result', ...result } }, ...observations)).toEqual([1, 0, 1, 2])
    expect(
      count(
        { counts: { what: 'profit', atLeast: fixed('500.00'), of: 'equity' } },
        state(on(2), '100000.00', '100500.00'),
      ),
    ).toEqual([1])
  })

  it('"the best day\'s (or trade\'s) part of the profit may be at most `share` percent; exactly that is met"', () => {
    const days = [
      trade(on(2), '300.00'),
      trade(on(2, '13:00'), '300.00'),
      trade(on(3), '599.99'),
      trade(on(3, '13:00'), '0.01'),
    ]
    expect(states(linesOf({ rules: [consistency(), profitTarget()] }, ...days))).toEqual([
      'open',
      'open',
      'open',
      'met',
    ])
    expect(states(linesOf({ rules: [consistency({ unit: 'trade' }), profitTarget()] }, ...days))).toEqual([
      'open',
      'met',
      'met',
      'met',
    ])
  })

  it('"Without profit it is `not-applicable` and holds nothing back."', () => {
    expect(lastOf({ rules: [consistency(), minimumDays({ days: 1 })] }, trade(on(2), '-1.00'))).toMatchObject({
      status: 'passed',
      rules: [{ state: 'not-applicable' }, {}],
    })
  })

  it('"`raises-target` (the target is at least best × 100 / share)"', () => {
    const stage = {
      rules: [consistency({ share: '40', effect: 'raises-target' }), profitTarget({ target: fixed('3000.00') })],
    }
    expect(lastOf(stage, trade(on(2), '1500.00'))).toMatchObject({
      rules: [{ needed: '3750.00' }, { target: '103750.00', missing: '2250.00' }],
    })
  })

  it('"`excludes-excess` (what each day or trade has above the share lowers the profit that counts for targets and payouts; the rule itself is then `met`)"', () => {
    const rules = [consistency({ share: '40', effect: 'excludes-excess' }), profitTarget({ target: fixed('400.00') })]
    const days = ['320.00', '100.00', '40.00', '22.00', '18.00'].map((profit, index) => trade(on(2 + index), profit))
    expect(lastOf({ rules }, ...days)).toMatchObject({
      rules: [
        { excluded: '120.00', state: 'met' },
        { missing: '20.00', state: 'open' },
      ],
    })
    expect(lastOf({ rules, payouts: payouts() }, ...days).payout?.profit).toBe('380.00')
  })

  it('"With `last-payout` only what follows the payout counts; the rest of its day is a day."', () => {
    const rules = [
      consistency({ since: 'last-payout' }),
      minimumDays({ since: 'last-payout' }),
      minimumDays({ since: 'last-payout', counts: { what: 'profit', atLeast: fixed('100.00'), of: 'closed' } }),
    ]
    const line = lastOf(
      { rules, payouts: payouts() },
      trade(on(2), '5000.00'),
      payout(on(3), '5000.00'),
      trade(on(3, '13:00'), '100.00'),
      trade(on(4), '150.00'),
    )
    expect(line.rules).toMatchObject([{ best: '150.00', profit: '250.00', share: '60.00' }, { days: 2 }, { days: 2 }])
  })

  it('"A profit never contains payouts and transfers."', () => {
    const rules = [consistency(), profitTarget()]
    expect(lastOf({ rules }, transfer(on(2), '9000.00'), trade(on(2, '13:00'), '1000.00'))).toMatchObject({
      status: 'in-progress',
      rules: [
        { best: '1000.00', profit: '1000.00' },
        { target: '117000.00', missing: '7000.00' },
      ],
    })
  })

  it('"A stage is passed at the first observation where it has goals, all are met and nothing is breached."', () => {
    const stage = { rules: [profitTarget(), minimumDays({ days: 2 })] }
    expect(
      linesOf(stage, state(on(2), '108000.00'), clock(on(3)), state(on(4), '100000.00')).map(({ status }) => status),
    ).toEqual(['in-progress', 'passed', 'passed'])
    expect(lastOf({ rules: [maximumLoss()] }, clock(on(2))).status).toBe('in-progress')
  })

  it('"A funded stage never passes: each of its goals is a condition of the next payout."', () => {
    const stage = { rules: [minimumDays({ days: 2 })], payouts: payouts() }
    const lines = linesOf(stage, state(on(2), '108000.00'), clock(on(3)))
    expect(lines.map(({ status, payout }) => [status, payout?.available, payout?.missing])).toEqual([
      ['in-progress', '0.00', ['minimum-days']],
      ['in-progress', '8000.00', []],
    ])
  })
})
