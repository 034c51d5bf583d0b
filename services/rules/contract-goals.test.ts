import { describe, expect, it } from 'vitest'
import {
  clock,
  consistency,
  dailyLoss,
  figures,
  fixed,
  inactivity,
  lastOf,
  linesOf,
  maximumDays,
  maximumLoss,
  minimumDays,
  on,
  payout,
  payouts,
  percent,
  profitTarget,
  state,
  states,
  statuses,
  trade,
  transfer,
  wholeDay,
  type Written,
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

describe('profit-target and minimum-days, parameter by parameter', () => {
  it('"`whileOpen: false` counts only while nothing is open", and `true` always', () => {
    const stage = (whileOpen: boolean) => ({ rules: [profitTarget({ whileOpen })] })
    const open = state(on(2), '108000.00', '107000.00')
    expect(lastOf(stage(true), open).status).toBe('passed')
    expect(lastOf(stage(false), open).status).toBe('in-progress')
    // A position can be open although equity is the balance.
    expect(lastOf(stage(false), state(on(2), '108000.00', '108000.00', { open: true })).status).toBe('in-progress')
  })

  it('"`target` is a level of the account."', () => {
    expect(figures(lastOf({ rules: [profitTarget()] }, state(on(2), '101300.00')))).toEqual({
      kind: 'profit-target',
      target: '108000.00',
      missing: '6700.00',
      state: 'open',
    })
    expect(figures(lastOf({ rules: [profitTarget()] }, state(on(2), '109000.00')))).toMatchObject({ missing: '0.00' })
  })

  const counted = (change: Parameters<typeof minimumDays>[0], ...observations: readonly Written[]) =>
    linesOf({ rules: [minimumDays({ days: 9, ...change })], payouts: payouts() }, ...observations).map(
      (line) => figures(line)?.days,
    )

  it('"`since`: "stage" | "last-payout"": days of the calendar', () => {
    const observations = [state(on(2), '105000.00'), payout(on(4), '1000.00'), clock(on(4, '13:00')), clock(on(6))]
    expect(counted({ since: 'stage' }, ...observations)).toEqual([1, 3, 3, 5])
    // "the rest of its day is a day"
    expect(counted({ since: 'last-payout' }, ...observations)).toEqual([1, 1, 1, 3])
  })

  it('"With `last-payout` only what follows the payout counts": a day counts as `opened` where the trade was opened after it', () => {
    const observations = [
      trade(on(2), '5000.00'),
      payout(on(3), '1000.00'),
      trade(on(4, '09:00'), '1.00', { openedAt: on(3, '11:59') }),
      trade(on(4, '10:00'), '1.00', { openedAt: on(3, '12:01') }),
      trade(on(4, '11:00'), '1.00', { openedAt: on(4, '09:30') }),
    ]
    const opened = { what: 'traded', day: 'opened' } as const
    expect(counted({ counts: opened, since: 'last-payout' }, ...observations)).toEqual([1, 0, 0, 1, 2])
    expect(counted({ counts: opened, since: 'stage' }, ...observations)).toEqual([1, 1, 2, 2, 3])
    // Where the day of the close counts, the trade that was opened before it counts too.
    const closed = { what: 'traded', day: 'closed' } as const
    expect(counted({ counts: closed, since: 'last-payout' }, ...observations)).toEqual([1, 0, 1, 1, 1])
  })

  it('"`traded`, `day`: `opened` | `closed`": a trade that was opened before the first observation', () => {
    const early = trade(on(2), '1.00', { openedAt: on(1) })
    expect(counted({ counts: { what: 'traded', day: 'opened' } }, early)).toEqual([1])
    expect(counted({ counts: { what: 'traded', day: 'closed' } }, early)).toEqual([1])
  })

  it('"(change of balance, or of equity, in the day; `result` counts a loss of that size too)"', () => {
    const observations = [
      state(on(2), '100000.00', '100500.00'),
      state(on(3), '100500.00', '100500.00'),
      state(on(4), '100500.00', '99999.99'),
    ]
    const change = (what: 'profit' | 'result', of: 'closed' | 'equity') =>
      counted({ counts: { what, atLeast: percent('0.5'), of } }, ...observations)
    expect(change('profit', 'closed')).toEqual([0, 1, 1])
    expect(change('profit', 'equity')).toEqual([1, 1, 1])
    expect(change('result', 'closed')).toEqual([0, 1, 1])
    expect(change('result', 'equity')).toEqual([1, 1, 2])
  })

  it('"A profit never contains payouts and transfers.": the change of a day does not', () => {
    const counts = { what: 'result', atLeast: fixed('500.00'), of: 'closed' } as const
    expect(
      counted({ counts }, state(on(2), '100000.00'), transfer(on(3), '700.00'), transfer(on(4), '-700.00')),
    ).toEqual([0, 0, 0])
    expect(counted({ counts }, state(on(2), '100000.00'), payout(on(3), '700.00'))).toEqual([0, 0])
  })

  it('"Only `reported` values … start a day or reach a goal.": a computed day row does not', () => {
    const stage = { rules: [profitTarget(), minimumDays({ counts: { what: 'traded', day: 'closed' } }), consistency()] }
    const computed = wholeDay(on(2), '100000.00', '109000.00', '109000.00', { quality: 'computed' })
    const lines = linesOf(stage, clock(on(2, '09:00')), computed, clock(on(3)))
    expect(lines.map(({ rules }) => rules)).toEqual([lines[0]?.rules, lines[0]?.rules, lines[0]?.rules])
    expect(lines.map(({ balance }) => balance)).toEqual(['100000.00', '109000.00', '100000.00'])
  })
})

describe('consistency, parameter by parameter', () => {
  it('"`profit`: "net" | "profitable-days""', () => {
    const days = [trade(on(2), '600.00'), trade(on(3), '-400.00'), trade(on(4), '600.00')]
    expect(figures(lastOf({ rules: [consistency()] }, ...days))).toMatchObject({
      profit: '800.00',
      share: '75.00',
      state: 'open',
    })
    expect(figures(lastOf({ rules: [consistency({ profit: 'profitable-days' })] }, ...days))).toMatchObject({
      profit: '1200.00',
      share: '50.00',
      state: 'met',
    })
  })

  it('"the best day\'s (or trade\'s) part": a day has all its trades in it, and its changes of the balance without one', () => {
    const observations = [trade(on(2), '300.00'), trade(on(2, '13:00'), '200.00'), state(on(3), '101000.00')]
    expect(figures(lastOf({ rules: [consistency({ unit: 'day' })] }, ...observations))).toMatchObject({
      best: '500.00',
    })
    expect(figures(lastOf({ rules: [consistency({ unit: 'trade' })] }, ...observations))).toMatchObject({
      best: '300.00',
    })
  })

  it('"`since`: "stage" | "last-payout"": by trade', () => {
    const observations = [
      trade(on(2), '900.00'),
      payout(on(3), '100.00'),
      trade(on(4), '200.00'),
      trade(on(5), '200.00'),
    ]
    const since = (from: 'stage' | 'last-payout') =>
      figures(lastOf({ rules: [consistency({ unit: 'trade', since: from })], payouts: payouts() }, ...observations))
    expect(since('stage')).toMatchObject({ best: '900.00', profit: '1300.00', state: 'open' })
    expect(since('last-payout')).toMatchObject({ best: '200.00', profit: '400.00', state: 'met' })
  })

  it('"`withholds` (the stage or payout waits)"', () => {
    const rules = [consistency()]
    expect(lastOf({ rules }, trade(on(2), '100.00')).status).toBe('in-progress')
    expect(lastOf({ rules, payouts: payouts() }, trade(on(2), '100.00')).payout).toMatchObject({
      available: '0.00',
      missing: ['consistency'],
    })
  })

  it('"`raises-target` (the target is at least best × 100 / share)": never below what the rule says', () => {
    const rules = [consistency({ effect: 'raises-target' }), profitTarget({ target: fixed('3000.00') })]
    const targets = linesOf(
      { rules },
      trade(on(2), '-1.00'),
      trade(on(2, '13:00'), '1000.00'),
      trade(on(3), '1600.00'),
    ).map((line) => figures(line, 1)?.target)
    expect(targets).toEqual(['103000.00', '103000.00', '103200.00'])
  })

  it('"`excludes-excess` (what each day or trade has above the share…)": each trade', () => {
    const rules = [
      consistency({ share: '40', unit: 'trade', effect: 'excludes-excess' }),
      profitTarget({ target: fixed('800.00') }),
    ]
    const trades = [trade(on(2), '450.00'), trade(on(2, '13:00'), '450.00'), trade(on(3), '100.00')]
    // Of a profit of 1,000, each trade counts up to 400.
    expect(lastOf({ rules }, ...trades)).toMatchObject({
      rules: [
        { best: '450.00', excluded: '100.00', state: 'met' },
        { missing: '0.00', state: 'met' },
      ],
    })
    expect(lastOf({ rules, payouts: payouts() }, ...trades).payout).toMatchObject({ profit: '900.00' })
  })

  it('"`excluded` under `excludes-excess`", and under nothing else', () => {
    const shown = (effect: 'withholds' | 'raises-target' | 'excludes-excess') =>
      Object.keys(lastOf({ rules: [consistency({ effect })] }, trade(on(2), '1.00')).rules[0] ?? {})
    expect(shown('excludes-excess')).toContain('excluded')
    expect(shown('withholds')).not.toContain('excluded')
    expect(shown('raises-target')).not.toContain('excluded')
  })

  it('"A consistency above its share is `open`", "exactly that is met"', () => {
    const after = (...profits: string[]) =>
      figures(
        lastOf(
          { rules: [consistency({ share: '33.33' }), profitTarget()] },
          ...profits.map((profit, day) => trade(on(2 + day), profit)),
        ),
      )?.state
    expect(after('33.33', '33.33', '33.34')).toBe('open')
    expect(after('33.33', '33.33', '33.33', '0.01')).toBe('met')
  })
})

describe('passing', () => {
  it('"A stage is passed at the first observation where it has goals, all are met": also at a clock, and not at a computed value', () => {
    const stage = { rules: [minimumDays({ days: 2 })] }
    expect(statuses(linesOf(stage, clock(on(2)), clock(on(3))))).toEqual(['in-progress', 'passed'])
    const computed = state(on(3), '100000.00', '100000.00', { quality: 'computed' })
    expect(statuses(linesOf(stage, clock(on(2)), computed, clock(on(3, '13:00'))))).toEqual([
      'in-progress',
      'in-progress',
      'passed',
    ])
  })

  it('"all are met": one open goal of many is enough to wait', () => {
    const rules = [profitTarget(), minimumDays({ days: 2 }), consistency()]
    const lines = linesOf({ rules }, trade(on(2), '8000.00'), trade(on(3), '7999.99'), trade(on(3, '13:00'), '0.01'))
    expect(statuses(lines)).toEqual(['in-progress', 'in-progress', 'passed'])
  })

  it('"each of its goals is a condition of the next payout": one that is met once is asked again', () => {
    const rules = [profitTarget({ target: fixed('1000.00') })]
    const missing = linesOf({ rules, payouts: payouts() }, state(on(2), '101000.00'), state(on(3), '100500.00')).map(
      (line) => line.payout?.missing,
    )
    expect(missing).toEqual([[], ['profit-target']])
  })
})

describe('"each day on which a trade of the stage was opened counts, also before the stage\'s first observation"', () => {
  const opened = (since: 'stage' | 'last-payout' = 'stage') =>
    minimumDays({ days: 3, counts: { what: 'traded', day: 'opened' }, since })
  const days = (...rows: readonly Written[]) => figures(lastOf({ rules: [opened()] }, ...rows))

  it('where trades that are closed come first', () => {
    const trades = [2, 3, 4].map((day) => trade(on(5), '1.00', { id: `T${day}`, openedAt: on(day) }))
    expect(days(...trades)).toEqual({ kind: 'minimum-days', days: 3, state: 'met' })
  })

  it('of several trades of a day once, and of one that was open for weeks', () => {
    const rows = [
      trade(on(5), '1.00', { openedAt: on(2, '09:00') }),
      trade(on(6), '1.00', { openedAt: on(2, '23:59') }),
      trade(on(7), '1.00', { openedAt: '2026-10-01T00:00:00Z' }),
    ]
    expect(days(...rows)).toMatchObject({ days: 2, state: 'open' })
    // In New York the first of October has not begun.
    expect(figures(lastOf({ rules: [opened()], zone: 'America/New_York' }, ...rows))).toMatchObject({ days: 2 })
  })

  it('"with `last-payout` not before the payout"', () => {
    const rows = [
      trade(on(5), '1.00', { openedAt: on(2) }),
      payout(on(6), '1.00'),
      trade(on(7), '1.00', { openedAt: on(4) }),
      trade(on(8), '1.00', { openedAt: on(6, '13:00') }),
    ]
    const line = lastOf({ rules: [opened('last-payout'), opened()], payouts: payouts() }, ...rows)
    expect(line.rules.map(({ days: count }) => count)).toEqual([1, 3])
  })
})

describe('"the rules\' figures are those of that end", of a stage that ends with a day', () => {
  const profitDays = minimumDays({ days: 9, counts: { what: 'profit', atLeast: fixed('10.00'), of: 'closed' } })
  const best = consistency({ profit: 'profitable-days' })
  const ends = maximumDays({ days: 1 })

  it('counts the last day once', () => {
    const [before, end, later] = linesOf(
      { rules: [ends, best, profitDays] },
      ...[trade(on(2), '100.00'), clock(on(3)), clock(on(9))],
    )
    expect(end).toMatchObject({ status: 'breached', cause: { at: on(3, '00:00'), observation: 1 } })
    expect(end?.rules.slice(1)).toEqual(before?.rules.slice(1))
    expect(end?.rules.slice(1)).toMatchObject([
      { profit: '100.00', share: '100.00', state: 'open' },
      { days: 1, state: 'open' },
    ])
    expect(later?.rules).toEqual(end?.rules)
  })

  it('after several days, a loss among them, by another rule', () => {
    const idle = inactivity({ days: 2 })
    const rows = [trade(on(2), '30.00'), trade(on(3), '-5.00'), trade(on(4), '70.00'), clock(on(9))]
    expect(lastOf({ rules: [idle, best, profitDays] }, ...rows)).toMatchObject({
      ...{ status: 'breached', cause: { kind: 'inactivity', at: on(7, '00:00') } },
      rules: [{}, { best: '70.00', profit: '100.00', share: '70.00', state: 'open' }, { days: 2 }],
    })
  })

  it('where the floor of the day-close breaches, and where what is excluded raises a target', () => {
    const close = dailyLoss({ checked: 'day-close', limit: fixed('40.00') })
    const excludes = consistency({ effect: 'excludes-excess' })
    const rows = [trade(on(2), '100.00'), trade(on(3), '-50.00'), clock(on(4))]
    const [, before, end] = linesOf({ rules: [close, excludes, profitTarget(), profitDays] }, ...rows)
    expect(end?.status).toBe('breached')
    expect(end?.rules.slice(1)).toEqual(before?.rules.slice(1))
  })
})
