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
  inactivity,
  lastOf,
  linesOf,
  maximumDays,
  maximumLoss,
  minimumDays,
  on,
  parsed,
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
  type Stage,
  type Written,
} from '#test-support/rules.ts'
import { observation } from './observation.ts'

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

describe('"the trade then counts as opened on the day of its close"', () => {
  const opened = (since: 'stage' | 'last-payout') =>
    minimumDays({ days: 2, counts: { what: 'traded', day: 'opened' }, since })
  const unknown = (at: string, id: string) => ({ at, kind: 'trade', id, profit: '1.00', volume: '1.00' })
  const days = (since: 'stage' | 'last-payout', ...rows: readonly Written[]) =>
    figures(lastOf({ rules: [opened(since)], payouts: payouts() }, ...rows))?.days

  it('as a day of its own, and beside trades whose opening is known', () => {
    expect(days('stage', unknown(on(2), 'A'), unknown(on(3), 'B'))).toBe(2)
    expect(days('stage', unknown(on(2), 'A'), trade(on(3), '1.00', { openedAt: on(2) }))).toBe(1)
    expect(days('last-payout', unknown(on(2), 'A'), payout(on(2, '13:00'), '1.00'), unknown(on(2, '14:00'), 'B'))).toBe(
      1,
    )
  })
})

describe('observations, field by field', () => {
  const every = [
    state(on(2), '100000.00'),
    trade(on(2), '1.00'),
    payout(on(2), '1.00'),
    transfer(on(2), '1.00'),
    wholeDay(on(2), '1.00', '1.00', '1.00'),
    clock(on(2)),
  ]

  const required = every.flatMap((one) =>
    Object.keys(one).flatMap((field) => (field === 'openedAt' ? [] : [[String(one['kind']), field, one] as const])),
  )
  it.each(required)(
    '"All fields are required but `quality` and a trade\'s `openedAt` where nobody knows it": %s without %s',
    (_, field, one) => {
      expect(observation.safeParse(one).success).toBe(true)
      expect(observation.safeParse({ ...one, [field]: undefined }).success).toBe(false)
    },
  )

  it('"`quality` (without it `reported`)"', () => {
    const stage = { rules: [maximumLoss(followsEquity)] }
    const reported = [
      state(on(2), '104000.00', '104000.00', { quality: 'reported' }),
      wholeDay(on(3), '104000.00', '106000.00', '105000.00', { quality: 'reported' }),
    ]
    const without = [state(on(2), '104000.00'), wholeDay(on(3), '104000.00', '106000.00', '105000.00')]
    const expected = linesOf(stage, ...without)
    expect(linesOf(stage, ...reported)).toEqual(expected)
    // "Equal in all fields is the same."
    expect(linesOf(stage, ...without, ...reported)).toEqual(expected)
    for (const kind of [trade(on(2), '1.00'), payout(on(2), '1.00'), transfer(on(2), '1.00'), clock(on(2))])
      expect(observation.safeParse({ ...kind, quality: 'reported' }).success).toBe(false)
  })

  it('"A `trade` is a closed one, its profit net of commission and swap; it moves the balance."', () => {
    const balances = linesOf({ rules: [] }, trade(on(2), '10.50'), trade(on(3), '-20.00', { volume: '7.5' })).map(
      ({ balance }) => balance,
    )
    expect(balances).toEqual(['100010.50', '99990.50'])
  })

  it('"`open`: a position is open."', () => {
    const equities = (open: boolean) =>
      linesOf({ rules: [] }, state(on(2), '100000.00', '100000.00', { open }), trade(on(3), '1.00')).at(-1)?.equity
    expect([equities(true), equities(false)]).toEqual(['100000.00', '100001.00'])
  })

  it('"`clock` only lets time pass."', () => {
    const stage = { rules: [maximumLoss({ limit: fixed('0.00') })], payouts: payouts() }
    const [first, second] = linesOf(stage, clock(on(2)), clock(on(2, '13:00')))
    expect(first).toMatchObject({ balance: '100000.00', equity: '100000.00', status: 'in-progress' })
    expect(second).toEqual({ ...first, at: on(2, '13:00') })
  })

  it('"`day` is the whole day": what it shows is the last of the day', () => {
    const row = wholeDay(on(2), '99000.00', '103000.00', '101000.00', { balance: '102000.00' })
    const stage = { rules: [maximumLoss(followsEquity), maximumLoss(followsClose)] }
    expect(linesOf(stage, row, clock(on(3)))).toMatchObject([
      { balance: '102000.00', equity: '101000.00', rules: [{ floor: '93000.00' }, { floor: '90000.00' }] },
      { balance: '102000.00', equity: '101000.00', rules: [{ floor: '93000.00' }, { floor: '92000.00' }] },
    ])
  })

  it('"`undetermined` if the lowest is only at the floor that the day\'s highest raised": on its line alone', () => {
    const stage = { rules: [maximumLoss({ limit: fixed('3000.00'), ...followsEquity })] }
    const lines = linesOf(stage, wholeDay(on(2), '98000.00', '101000.00', '99000.00'), clock(on(3)))
    expect(states(lines)).toEqual(['undetermined', 'kept'])
    expect(statuses(lines)).toEqual(['in-progress', 'in-progress'])
  })

  it('"`computed` and `estimated` ones are shown and checked": day rows', () => {
    const stage = { rules: [maximumLoss({ limit: fixed('3000.00'), ...followsEquity }), dailyLoss()] }
    for (const quality of ['computed', 'estimated']) {
      const lines = linesOf(stage, wholeDay(on(2), '94000.00', '104000.00', '99000.00', { quality }), clock(on(3)))
      expect(lines).toMatchObject([
        { balance: '99000.00', rules: [{ floor: '97000.00', state: 'suspected' }, { state: 'suspected' }] },
        { balance: '100000.00', rules: [{ floor: '97000.00', state: 'kept' }, { state: 'kept' }] },
      ])
    }
  })

  it('"of one instant clock, transfer, payout, trade, day, state": any order of the file gives this one', () => {
    const at = on(2)
    const inOrder = [
      clock(at),
      transfer(at, '1.00'),
      payout(at, '1.00'),
      trade(at, '1.00'),
      wholeDay(at, '1.00', '1.00', '1.00'),
      state(at, '100.00'),
    ]
    const expected = inOrder.map(({ kind }) => kind)
    for (const [index] of inOrder.entries()) {
      const rotated = [...inOrder.slice(index), ...inOrder.slice(0, index)]
      expect(parsed(rotated).map(({ kind }) => kind)).toEqual(expected)
      expect(parsed(rotated.toReversed()).map(({ kind }) => kind)).toEqual(expected)
    }
  })

  it('"Order: instant": to the nanosecond, before the kind', () => {
    const instants = ['.000000002Z', '.000000001Z', '.1Z', 'Z'].map((end) => `2026-11-02T12:00:00${end}`)
    const observations = instants.map((at, index) => (index === 3 ? state(at, '100.00') : clock(at)))
    expect(parsed(observations).map(({ at }) => at.text)).toEqual([
      '2026-11-02T12:00:00Z',
      '2026-11-02T12:00:00.000000001Z',
      '2026-11-02T12:00:00.000000002Z',
      '2026-11-02T12:00:00.1Z',
    ])
  })

  it('"then id; then canonical JSON": of trades and transfers the id decides, of states the fields', () => {
    const at = on(2)
    const ids = parsed([trade(at, '1.00', { id: 'b' }), trade(at, '9.00', { id: 'B' }), trade(at, '5.00', { id: 'a' })])
    expect(ids.map((one) => ('id' in one ? one.id : ''))).toEqual(['B', 'a', 'b'])
    const moved = parsed([transfer(at, '3.00'), { ...transfer(at, '1.00'), id: 'x' }, transfer(at, '2.00')])
    expect(moved.map((one) => ('amount' in one ? one.amount : 0))).toEqual([2_00, 3_00, 1_00])
  })

  it('"Equal in all fields is the same.": instants are equal however they are written', () => {
    const same = ['2026-11-02T12:00:00Z', '2026-11-02T12:00:00.000Z', '2026-11-02T13:00:00+01:00']
    expect(parsed(same.map((at) => trade(at, '1.00', { id: 'T1', openedAt: on(2) })))).toHaveLength(1)
    expect(parsed(same.map((at) => payout(at, '1.00')))).toHaveLength(1)
  })
})

describe('lines, field by field', () => {
  it('"`at` as given": on the line and in the cause', () => {
    const at = '2026-11-02T23:30:00.120+05:30'
    expect(lastOf({ rules: [maximumLoss()] }, state(at, '89000.00'))).toMatchObject({
      at,
      day: '2026-11-02',
      cause: { at },
    })
  })

  it('"`status`: `in-progress`, `paused`, `passed`, `breached`."', () => {
    const rules = [dailyLoss({ limit: fixed('1000.00'), consequence: 'pause' }), maximumLoss(), profitTarget()]
    const after = (balance: string) => lastOf({ rules }, state(on(2), balance)).status
    expect([after('100000.00'), after('99000.00'), after('108000.00'), after('90000.00')]).toEqual([
      'in-progress',
      'paused',
      'passed',
      'breached',
    ])
  })

  it('"After `breached` or `passed` it stays, and so do rules and cause.": passed, over days and closes', () => {
    const stage = { rules: [profitTarget(), maximumLoss({ checked: 'day-close' }), inactivity({ days: 1 })] }
    const [passed, ...later] = linesOf(
      stage,
      state(on(2), '108000.00'),
      state(on(2, '13:00'), '80000.00'),
      clock(on(9)),
    )
    expect(passed?.status).toBe('passed')
    for (const line of later)
      expect(line).toMatchObject({ status: 'passed', cause: null, rules: passed?.rules, nearest: passed?.nearest })
  })

  it('"`maximum-days` and `inactivity` show `days`", and no room', () => {
    const line = lastOf({ rules: [maximumDays(), inactivity()] }, clock(on(2)))
    expect(line).toMatchObject({
      nearest: null,
      rules: [
        { kind: 'maximum-days', days: 1, state: 'kept' },
        { kind: 'inactivity', days: 0, state: 'kept' },
      ],
    })
    expect(line.rules.map((rule) => Object.keys(rule))).toEqual([
      ['kind', 'days', 'state'],
      ['kind', 'days', 'state'],
    ])
  })

  it('"`room`: measured value − floor": of what the rule measures', () => {
    const room = (measures: 'equity' | 'balance' | 'lower') =>
      figures(lastOf({ rules: [maximumLoss({ measures })] }, state(on(2), '95000.00', '97000.00')))?.room
    expect([room('equity'), room('balance'), room('lower')]).toEqual(['7000.00', '5000.00', '5000.00'])
  })

  it('"`cause` (null unless breached): `{ "kind", "floor", "measured", "at", "observation": 3 }`, 0-based among the printed lines"', () => {
    const computed = state(on(2, '11:00'), '1.00', '1.00', { quality: 'computed' })
    const lines = linesOf(
      { rules: [maximumLoss()] },
      state(on(2, '13:00'), '90000.00'),
      clock(on(2, '10:00')),
      clock(on(2, '10:00')),
      computed,
      state(on(2, '12:00'), '95000.00'),
    )
    expect(lines.map(({ cause }) => cause)).toEqual([
      null,
      null,
      null,
      { kind: 'maximum-loss', floor: '90000.00', measured: '90000.00', at: on(2, '13:00'), observation: 3 },
    ])
  })

  it('"`at` of a day-close is the end of the day": in the zone', () => {
    const stage: Stage = {
      rules: [maximumLoss({ checked: 'day-close' })],
      zone: 'America/New_York',
      startsAt: '17:00',
    }
    expect(lastOf(stage, state(on(2), '90000.00'), clock(on(5))).cause).toMatchObject({
      at: '2026-11-02T22:00:00Z',
      observation: 1,
    })
  })

  it('prints the line of rules.md', () => {
    const rules = [
      maximumLoss({ limit: percent('6') }),
      dailyLoss(),
      profitTarget(),
      minimumDays(),
      consistency({ unit: 'trade' }),
    ]
    const trades = ['600.00', '400.00', '300.00'].map((profit) => trade(on(2), profit))
    expect(JSON.stringify(lastOf({ rules }, clock(on(1)), ...trades))).toBe(
      JSON.stringify({
        at: on(2),
        day: '2026-11-02',
        balance: '101300.00',
        equity: '101300.00',
        status: 'in-progress',
        rules: [
          { kind: 'maximum-loss', floor: '94000.00', room: '7300.00', locked: false, state: 'kept' },
          { kind: 'daily-loss', floor: '95000.00', room: '6300.00', state: 'kept' },
          { kind: 'profit-target', target: '108000.00', missing: '6700.00', state: 'open' },
          { kind: 'minimum-days', days: 2, state: 'open' },
          { kind: 'consistency', best: '600.00', profit: '1300.00', share: '46.15', needed: '1200.00', state: 'met' },
        ],
        nearest: 'daily-loss',
        cause: null,
        payout: null,
      }),
    )
  })
})
