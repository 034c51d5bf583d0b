import { describe, expect, it } from 'vitest'
import {
  clock,
  dailyLoss,
  figures,
  fixed,
  floors,
  followsBalance,
  followsClose,
  followsEquity,
  inactivity,
  lastOf,
  linesOf,
  maximumDays,
  maximumLoss,
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
import { ruleInWords } from './terms-in-words.ts'

// Each test quotes the sentence of rules.md that it is about.

describe('maximum-loss', () => {
  it('"`null` (static: floor = account size − limit)"', () => {
    expect(floors(linesOf({ rules: [maximumLoss()] }, state(on(2), '120000.00')))).toEqual(['90000.00'])
  })

  it('"floor = highest value followed so far (at first the account size) − limit. It never falls, but by `payouts.floor`."', () => {
    const stage = { rules: [maximumLoss(followsEquity)] }
    expect(
      floors(
        linesOf(stage, state(on(2), '99000.00'), state(on(3), '100000.00', '104000.00'), state(on(4), '101000.00')),
      ),
    ).toEqual(['90000.00', '94000.00', '94000.00'])
  })

  it('follows `balance`, `equity` or `higher`, at `every-change` or `day-close`', () => {
    const after = (value: 'balance' | 'equity' | 'higher', at: 'every-change' | 'day-close') =>
      floors(
        linesOf(
          { rules: [maximumLoss({ follows: { value, at } })] },
          state(on(2), '101000.00', '103000.00'),
          state(on(2, '13:00'), '101000.00', '102000.00'),
          clock(on(3)),
        ),
      )
    expect(after('balance', 'every-change')).toEqual(['91000.00', '91000.00', '91000.00'])
    expect(after('equity', 'every-change')).toEqual(['93000.00', '93000.00', '93000.00'])
    expect(after('higher', 'every-change')).toEqual(['93000.00', '93000.00', '93000.00'])
    expect(after('balance', 'day-close')).toEqual(['90000.00', '90000.00', '91000.00'])
    expect(after('equity', 'day-close')).toEqual(['90000.00', '90000.00', '92000.00'])
  })

  it('"`limit` may be `of: "high"` (that highest value) where something is followed"', () => {
    const stage = { rules: [maximumLoss({ limit: { percent: '10', of: 'high' }, ...followsEquity })] }
    expect(floors(linesOf(stage, state(on(2), '200000.00')))).toEqual(['180000.00'])
    expect(() => linesOf({ rules: [maximumLoss({ limit: { percent: '10', of: 'high' } })] })).toThrow(
      'the floor follows nothing',
    )
  })

  it('"the amount above the account size at which the floor stops for good"', () => {
    const stage = { rules: [maximumLoss({ limit: percent('6'), ...followsBalance, locksAbove: fixed('100.00') })] }
    const lines = linesOf(stage, state(on(2), '106099.99'), state(on(3), '106100.00'), state(on(4), '120000.00'))
    expect(lines.map((line) => figures(line))).toMatchObject([
      { floor: '100099.99', locked: false },
      { floor: '100100.00', locked: true },
      { floor: '100100.00', locked: true },
    ])
  })

  it('"`measures`: `equity`, `balance`, or `lower` of the two."', () => {
    const measured = (measures: 'equity' | 'balance' | 'lower', balance: string, equity: string) =>
      states(linesOf({ rules: [maximumLoss({ measures })] }, state(on(2), balance, equity)))
    expect(measured('equity', '89000.00', '91000.00')).toEqual(['kept'])
    expect(measured('balance', '89000.00', '91000.00')).toEqual(['breached'])
    expect(measured('lower', '89000.00', '91000.00')).toEqual(['breached'])
    expect(measured('lower', '91000.00', '89000.00')).toEqual(['breached'])
  })

  it('"`touch`: `breach` (at the floor is breached) or `allowed` (only below it)."', () => {
    const touched = (touch: 'breach' | 'allowed', equity: string) =>
      states(linesOf({ rules: [maximumLoss({ touch })] }, state(on(2), equity)))
    expect(touched('breach', '90000.00')).toEqual(['breached'])
    expect(touched('breach', '90000.01')).toEqual(['kept'])
    expect(touched('allowed', '90000.00')).toEqual(['kept'])
    expect(touched('allowed', '89999.99')).toEqual(['breached'])
  })

  it('"An observation first raises the floor, then is checked against it."', () => {
    const stage = { rules: [maximumLoss({ limit: fixed('3000.00'), measures: 'balance', ...followsEquity })] }
    expect(lastOf(stage, state(on(2), '100000.00', '103000.00'))).toMatchObject({
      status: 'breached',
      cause: { floor: '100000.00', measured: '100000.00' },
    })
  })
})

describe('daily-loss', () => {
  it('"floor = `from` − limit"', () => {
    const floorFrom = (from: 'day-start-balance' | 'day-start-equity' | 'day-start-higher' | 'day-high-equity') =>
      floors(
        linesOf(
          { rules: [dailyLoss({ from, limit: fixed('4000.00') })] },
          state(on(2), '100000.00', '102000.00'),
          state(on(3), '100000.00', '103000.00'),
        ),
      )
    expect(floorFrom('day-start-balance')).toEqual(['96000.00', '96000.00'])
    expect(floorFrom('day-start-equity')).toEqual(['96000.00', '98000.00'])
    expect(floorFrom('day-start-higher')).toEqual(['96000.00', '98000.00'])
    expect(floorFrom('day-high-equity')).toEqual(['98000.00', '99000.00'])
  })

  it('"`limit` may be `of` any of them"', () => {
    const floorOf = (of: 'day-start-balance' | 'day-start-higher') =>
      floors(
        linesOf(
          { rules: [dailyLoss({ from: of, limit: { percent: '5', of } })] },
          state(on(2), '105000.00', '107000.00'),
          clock(on(3)),
        ),
      ).at(-1)
    expect(floorOf('day-start-balance')).toBe('99750.00')
    expect(floorOf('day-start-higher')).toBe('101650.00')
  })

  it('"The value at the start of a day is the last reported one before it, whenever the evaluation happens; on the first day it is the account size."', () => {
    const stage = { rules: [dailyLoss()] }
    expect(floors(linesOf(stage, state(on(2, '09:00'), '104000.00'), state(on(5, '15:00'), '101000.00')))).toEqual([
      '95000.00',
      '99000.00',
    ])
  })

  it('"A payout or a transfer is no loss of the day: it moves the day\'s start and high by its amount."', () => {
    const stage = { rules: [dailyLoss({ from: 'day-high-equity' }), dailyLoss()], payouts: payouts() }
    const observations = [
      state(on(2), '108000.00'),
      state(on(3), '109000.00'),
      payout(on(3, '13:00'), '6000.00'),
      transfer(on(3, '14:00'), '-500.00'),
    ]
    expect(linesOf(stage, ...observations).map(({ rules }) => rules.map(({ floor }) => floor))).toEqual([
      ['103000.00', '95000.00'],
      ['104000.00', '103000.00'],
      ['98000.00', '97000.00'],
      ['97500.00', '96500.00'],
    ])
  })
})

describe('when limits are checked', () => {
  it('"Floors are checked when a value is observed; the passing of time alone breaches only by day-close, `maximum-days` and `inactivity`."', () => {
    // The open loss is above the floor of its day, and below that of the next.
    const stage = { size: '200000.00', rules: [dailyLoss()] }
    const lines = linesOf(
      stage,
      state(on(2), '204000.00', '191000.00'),
      clock(on(3, '00:00')),
      state(on(3, '00:01'), '204000.00', '191000.00'),
    )
    expect(lines.map(({ status }) => status)).toEqual(['in-progress', 'in-progress', 'breached'])
  })

  it('"Day-close happens at the end of the day with the last reported values, before the next observation, and shows on that one\'s line"', () => {
    const stage = { rules: [maximumLoss({ checked: 'day-close' })] }
    expect(
      lastOf(stage, state(on(2, '09:00'), '90000.00'), state(on(2, '10:00'), '91000.00'), clock(on(3))).status,
    ).toBe('in-progress')
    expect(lastOf(stage, state(on(2), '90000.00'), state(on(4), '95000.00'))).toMatchObject({
      status: 'breached',
      // "`at` of a day-close is the end of the day"
      cause: {
        kind: 'maximum-loss',
        floor: '90000.00',
        measured: '90000.00',
        at: '2026-11-03T00:00:00Z',
        observation: 1,
      },
    })
  })

  it('"what it finds holds until the next day-close"', () => {
    const stage = { rules: [maximumLoss({ checked: 'day-close', consequence: 'warning' })] }
    const lines = linesOf(
      stage,
      state(on(2), '90000.00'),
      state(on(3), '95000.00'),
      state(on(3, '13:00'), '96000.00'),
      clock(on(4)),
    )
    expect(states(lines)).toEqual(['kept', 'warned', 'warned', 'kept'])
  })

  it('"If one observation falls through several floors, the highest is the cause (of equals, the first rule)."', () => {
    const rules = [maximumLoss({ limit: fixed('3000.00') }), dailyLoss({ limit: fixed('2000.00') })]
    expect(lastOf({ rules }, trade(on(2), '-3500.00')).cause).toMatchObject({ kind: 'daily-loss', floor: '98000.00' })
    const equal = [maximumLoss({ limit: fixed('2000.00') }), dailyLoss({ limit: fixed('2000.00') })]
    expect(lastOf({ rules: equal }, trade(on(2), '-3500.00')).cause).toMatchObject({ kind: 'maximum-loss' })
  })

  it('"Breach comes before a target reached in the same observation."', () => {
    expect(lastOf({ rules: [maximumLoss(), profitTarget()] }, state(on(2), '110000.00', '89000.00')).status).toBe(
      'breached',
    )
  })

  it('"`pause` (no trading until the day ends; the account goes on), or `warning`"', () => {
    const observations = [
      state(on(2, '09:00'), '95000.00'),
      state(on(2, '10:00'), '99000.00'),
      state(on(3), '99000.00'),
    ]
    const pausing = linesOf({ rules: [dailyLoss({ consequence: 'pause' })] }, ...observations)
    expect(pausing.map(({ status }) => status)).toEqual(['paused', 'paused', 'in-progress'])
    expect(states(pausing)).toEqual(['paused', 'paused', 'kept'])
    const warning = linesOf({ rules: [dailyLoss({ consequence: 'warning' })] }, ...observations)
    expect(warning.map(({ status }) => status)).toEqual(['in-progress', 'in-progress', 'in-progress'])
    expect(states(warning)).toEqual(['warned', 'kept', 'kept'])
  })

  it('"acts when a day begins after `days` counted ones"', () => {
    const lines = linesOf({ rules: [maximumDays()] }, clock(on(2)), clock(on(4)), clock(on(5)))
    expect(lines.map(({ status }) => status)).toEqual(['in-progress', 'in-progress', 'breached'])
    expect(lines.at(-1)?.cause).toEqual({
      kind: 'maximum-days',
      floor: null,
      measured: null,
      at: '2026-11-05T00:00:00Z',
      observation: 2,
    })
    const traded = { rules: [maximumDays({ counts: 'traded', days: 2 })] }
    expect(
      linesOf(traded, trade(on(2), '1.00'), clock(on(5)), trade(on(6), '1.00'), clock(on(7))).map(
        ({ status }) => status,
      ),
    ).toEqual(['in-progress', 'in-progress', 'in-progress', 'breached'])
  })

  it('"acts when the `days`-th trading day in a row without a trade has ended"', () => {
    const stage = { rules: [inactivity({ days: 2 })] }
    const lines = linesOf(
      stage,
      trade(on(2), '1.00'),
      clock(on(4)),
      trade(on(4, '13:00'), '1.00'),
      clock(on(6)),
      clock(on(7)),
    )
    expect(lines.map(({ status }) => status)).toEqual([
      'in-progress',
      'in-progress',
      'in-progress',
      'in-progress',
      'breached',
    ])
    expect(lines.map((line) => figures(line)?.days)).toEqual([0, 1, 0, 1, 2])
  })
})

describe('maximum-loss, parameter by parameter', () => {
  const beforeAndAfterClose = [state(on(2), '101000.00', '103000.00'), state(on(2, '13:00'), '101000.00', '102000.00')]

  it.each([
    ['balance', '91000.00'],
    ['equity', '92000.00'],
    ['higher', '92000.00'],
  ] as const)('"{ "value": "balance" | "equity" | "higher", "at": … "day-close" }": %s', (value, expected) => {
    const stage = { rules: [maximumLoss({ follows: { value, at: 'day-close' } })] }
    expect(floors(linesOf(stage, ...beforeAndAfterClose, clock(on(3))))).toEqual(['90000.00', '90000.00', expected])
  })

  it('follows the balance as `higher` where equity is below it, at day-close and at every change', () => {
    const floorAt = (at: 'every-change' | 'day-close') =>
      lastOf(
        { rules: [maximumLoss({ follows: { value: 'higher', at } })] },
        state(on(2), '104000.00', '101000.00'),
        clock(on(3)),
      ).rules[0]?.floor
    expect([floorAt('every-change'), floorAt('day-close')]).toEqual(['94000.00', '94000.00'])
  })

  it('"`limit` may be `of: "high"` (that highest value)": the limit grows with it', () => {
    const stage = { rules: [maximumLoss({ limit: { percent: '10', of: 'high' }, ...followsBalance })] }
    const lines = linesOf(stage, state(on(2), '110000.00'), state(on(3), '105000.00'), state(on(4), '120000.00'))
    expect(floors(lines)).toEqual(['99000.00', '99000.00', '108000.00'])
  })

  it('"`locksAbove`: `null`, or the amount above the account size at which the floor stops for good (`{"amount":"0.00"}`: at the account size)"', () => {
    const reached = (locksAbove: { amount: string } | null) =>
      linesOf(
        { rules: [maximumLoss({ ...followsBalance, locksAbove })] },
        state(on(2), '130000.00'),
        state(on(3), '125000.00'),
      ).map((line) => figures(line))
    expect(reached(null)).toMatchObject([
      { floor: '120000.00', locked: false },
      { floor: '120000.00', locked: false },
    ])
    expect(reached(fixed('0.00'))).toMatchObject([
      { floor: '100000.00', locked: true },
      { floor: '100000.00', locked: true },
    ])
  })

  it('"`checked`: `every-change` or `day-close`."', () => {
    const observations = [state(on(2), '90000.00'), state(on(2, '13:00'), '95000.00'), clock(on(3))]
    const checkedAt = (checked: 'every-change' | 'day-close') =>
      statuses(linesOf({ rules: [maximumLoss({ checked })] }, ...observations))
    expect(checkedAt('every-change')).toEqual(['breached', 'breached', 'breached'])
    expect(checkedAt('day-close')).toEqual(['in-progress', 'in-progress', 'in-progress'])
  })

  it('"An observation first raises the floor, then is checked against it.": at day-close too', () => {
    const stage = {
      rules: [maximumLoss({ limit: fixed('2000.00'), ...followsClose, checked: 'day-close', measures: 'equity' })],
    }
    expect(lastOf(stage, state(on(2), '103000.00', '101000.00'), clock(on(3))).cause).toMatchObject({
      floor: '101000.00',
      measured: '101000.00',
    })
  })

  it('checks each measure and each touch at day-close', () => {
    const closedAt = (change: Parameters<typeof maximumLoss>[0], balance: string, equity: string) =>
      lastOf({ rules: [maximumLoss({ checked: 'day-close', ...change })] }, state(on(2), balance, equity), clock(on(3)))
        .status
    expect(closedAt({ measures: 'equity' }, '89000.00', '91000.00')).toBe('in-progress')
    expect(closedAt({ measures: 'balance' }, '89000.00', '91000.00')).toBe('breached')
    expect(closedAt({ measures: 'lower' }, '91000.00', '89000.00')).toBe('breached')
    expect(closedAt({ touch: 'breach' }, '90000.00', '90000.00')).toBe('breached')
    expect(closedAt({ touch: 'allowed' }, '90000.00', '90000.00')).toBe('in-progress')
    expect(closedAt({ touch: 'allowed' }, '89999.99', '89999.99')).toBe('breached')
  })
})

describe('daily-loss, parameter by parameter', () => {
  it('"{ limit, from, measures, checked, touch, consequence }": measures', () => {
    const measured = (measures: 'equity' | 'balance' | 'lower', balance: string, equity: string) =>
      states(linesOf({ rules: [dailyLoss({ measures })] }, state(on(2), balance, equity)))
    expect(measured('equity', '94000.00', '96000.00')).toEqual(['kept'])
    expect(measured('balance', '94000.00', '96000.00')).toEqual(['breached'])
    expect(measured('balance', '96000.00', '94000.00')).toEqual(['kept'])
    expect(measured('lower', '94000.00', '96000.00')).toEqual(['breached'])
    expect(measured('lower', '96000.00', '94000.00')).toEqual(['breached'])
  })

  it('"{ limit, from, measures, checked, touch, consequence }": touch', () => {
    const touched = (touch: 'breach' | 'allowed', equity: string) =>
      states(linesOf({ rules: [dailyLoss({ touch })] }, state(on(2), equity)))
    expect(touched('breach', '95000.00')).toEqual(['breached'])
    expect(touched('breach', '95000.01')).toEqual(['kept'])
    expect(touched('allowed', '95000.00')).toEqual(['kept'])
    expect(touched('allowed', '94999.99')).toEqual(['breached'])
  })

  it('"{ limit, from, measures, checked, touch, consequence }": checked', () => {
    const observations = [state(on(2), '95000.00'), state(on(2, '13:00'), '96000.00'), clock(on(3))]
    const checkedAt = (checked: 'every-change' | 'day-close') =>
      statuses(linesOf({ rules: [dailyLoss({ checked })] }, ...observations))
    expect(checkedAt('every-change')).toEqual(['breached', 'breached', 'breached'])
    expect(checkedAt('day-close')).toEqual(['in-progress', 'in-progress', 'in-progress'])
    expect(
      lastOf({ rules: [dailyLoss({ checked: 'day-close' })] }, state(on(2), '95000.00'), clock(on(3))),
    ).toMatchObject({
      status: 'breached',
      cause: { kind: 'daily-loss', floor: '95000.00', measured: '95000.00', at: '2026-11-03T00:00:00Z' },
    })
  })

  it('"`day-high-equity` (trails within the day)"', () => {
    const stage = { rules: [dailyLoss({ from: 'day-high-equity' })] }
    const lines = linesOf(
      stage,
      state(on(2, '09:00'), '100000.00', '104000.00'),
      state(on(2, '10:00'), '100000.00', '102000.00'),
      state(on(3), '100000.00', '101000.00'),
    )
    // The next day starts at the last equity, 102,000, not at the high of the day before.
    expect(floors(lines)).toEqual(['99000.00', '99000.00', '97000.00'])
  })

  it('"`limit` may be `of` any of them": also of another than `from`', () => {
    const stage = { rules: [dailyLoss({ from: 'day-start-balance', limit: { percent: '10', of: 'day-high-equity' } })] }
    expect(floors(linesOf(stage, state(on(2), '100000.00', '105000.00')))).toEqual(['89500.00'])
  })

  it('"Breached if the lowest is at the floor that held before the day, or the close at the floor after it": the floor of a day', () => {
    const row = (lowest: string, highest: string, close: string, from: 'day-start-balance' | 'day-high-equity') =>
      lastOf({ rules: [dailyLoss({ from })] }, wholeDay(on(2), lowest, highest, close))
    expect(row('95000.00', '101000.00', '99000.00', 'day-start-balance')).toMatchObject({
      status: 'breached',
      cause: { floor: '95000.00', measured: '95000.00' },
    })
    expect(row('95000.01', '101000.00', '99000.00', 'day-start-balance').rules).toMatchObject([{ state: 'kept' }])
    // The highest, 103,000, raises the floor to 98,000: the close is at it.
    expect(row('97000.00', '103000.00', '98000.00', 'day-high-equity')).toMatchObject({
      status: 'breached',
      cause: { floor: '98000.00', measured: '98000.00' },
    })
    expect(row('98000.00', '103000.00', '99000.00', 'day-high-equity')).toMatchObject({
      status: 'in-progress',
      rules: [{ floor: '98000.00', state: 'undetermined' }],
    })
    expect(row('95000.00', '103000.00', '99000.00', 'day-high-equity').cause).toMatchObject({ floor: '95000.00' })
  })

  it('"The value at the start of a day is the last reported one before it": after a day row its close', () => {
    const stage = { rules: [dailyLoss(), dailyLoss({ from: 'day-start-equity' })] }
    const day = wholeDay(on(2), '99000.00', '106000.00', '104000.00', { equity: '103000.00' })
    expect(lastOf(stage, day, clock(on(3))).rules).toMatchObject([{ floor: '99000.00' }, { floor: '98000.00' }])
  })
})

describe('consequences', () => {
  it('"`pause` (no trading until the day ends; the account goes on)": several pauses', () => {
    const rules = [
      dailyLoss({ limit: fixed('1000.00'), consequence: 'pause' }),
      maximumLoss({ limit: fixed('2000.00'), consequence: 'pause' }),
    ]
    const lines = linesOf(
      { rules },
      state(on(2, '09:00'), '99000.00'),
      state(on(2, '10:00'), '98000.00'),
      state(on(2, '11:00'), '99500.00'),
      state(on(3, '09:00'), '99500.00'),
      state(on(3, '10:00'), '98000.00'),
      clock(on(4)),
    )
    expect(statuses(lines)).toEqual(['paused', 'paused', 'paused', 'in-progress', 'paused', 'in-progress'])
    expect(states(lines)).toEqual(['paused', 'paused', 'paused', 'kept', 'paused', 'kept'])
    expect(states(lines, 1)).toEqual(['kept', 'paused', 'paused', 'kept', 'paused', 'kept'])
  })

  it('"the account goes on": a paused account is breached by another limit, or passes', () => {
    const pausing = dailyLoss({ limit: fixed('1000.00'), consequence: 'pause' })
    expect(
      statuses(
        linesOf({ rules: [pausing, maximumLoss()] }, state(on(2), '98000.00'), state(on(2, '13:00'), '90000.00')),
      ),
    ).toEqual(['paused', 'breached'])
    expect(
      statuses(
        linesOf({ rules: [pausing, profitTarget()] }, state(on(2), '98000.00'), state(on(2, '13:00'), '108000.00')),
      ),
    ).toEqual(['paused', 'passed'])
  })

  it('"what it finds holds until the next day-close": a pause', () => {
    const stage = { rules: [maximumLoss({ checked: 'day-close', consequence: 'pause' })] }
    const lines = linesOf(stage, state(on(2), '90000.00'), state(on(3), '95000.00'), state(on(4), '95000.00'))
    expect(statuses(lines)).toEqual(['in-progress', 'paused', 'in-progress'])
    expect(states(lines)).toEqual(['kept', 'paused', 'kept'])
  })

  it('"If one observation falls through several floors, the highest is the cause": at day-close too', () => {
    const rules = [
      maximumLoss({ limit: fixed('3000.00'), checked: 'day-close' }),
      dailyLoss({ limit: fixed('2000.00'), checked: 'day-close' }),
    ]
    const line = lastOf({ rules }, trade(on(2), '-3500.00'), clock(on(3)))
    expect(line.cause).toMatchObject({ kind: 'daily-loss', floor: '98000.00' })
    expect(line.rules).toMatchObject([{ state: 'breached' }, { state: 'breached' }])
  })

  it('a floor that only warns or pauses is never the cause', () => {
    const rules = [
      dailyLoss({ limit: fixed('2000.00'), consequence: 'pause' }),
      maximumLoss({ limit: fixed('3000.00') }),
    ]
    const line = lastOf({ rules }, trade(on(2), '-3500.00'))
    expect(line).toMatchObject({ status: 'breached', cause: { kind: 'maximum-loss' } })
    expect(line.rules).toMatchObject([{ state: 'paused' }, { state: 'breached' }])
  })

  it('"Floors are checked when a value is observed": by a trade, a transfer and a payout, and not by a clock', () => {
    const stage = { rules: [maximumLoss({ limit: fixed('1000.00') })], payouts: payouts() }
    for (const falls of [trade(on(3), '-1000.00'), transfer(on(3), '-1000.00'), payout(on(3), '1000.00')])
      expect(statuses(linesOf(stage, clock(on(2)), falls))).toEqual(['in-progress', 'breached'])
  })

  it('"Day-close happens … with the last reported values": not with computed ones', () => {
    const stage = { rules: [maximumLoss({ checked: 'day-close' })] }
    const computed = state(on(2, '13:00'), '80000.00', '80000.00', { quality: 'computed' })
    expect(lastOf(stage, state(on(2), '95000.00'), computed, clock(on(3))).status).toBe('in-progress')
  })

  it('"**maximum-days** … acts when a day begins after `days` counted ones": a warning and a pause stay', () => {
    const linesWith = (consequence: 'warning' | 'pause') =>
      linesOf(
        { rules: [maximumDays({ days: 2, consequence })] },
        clock(on(2)),
        clock(on(3)),
        clock(on(4)),
        clock(on(6)),
      )
    expect(statuses(linesWith('pause'))).toEqual(['in-progress', 'in-progress', 'paused', 'paused'])
    expect(states(linesWith('pause'))).toEqual(['kept', 'kept', 'paused', 'paused'])
    expect(statuses(linesWith('warning'))).toEqual(['in-progress', 'in-progress', 'in-progress', 'in-progress'])
    expect(states(linesWith('warning'))).toEqual(['kept', 'kept', 'warned', 'warned'])
  })

  it('"**inactivity** … acts when the `days`-th trading day in a row without a trade has ended": a warning and a pause end with the day after a trade', () => {
    const linesWith = (consequence: 'warning' | 'pause') =>
      linesOf(
        { rules: [inactivity({ days: 2, consequence })] },
        clock(on(2)),
        clock(on(4)),
        trade(on(4, '13:00'), '1.00'),
        clock(on(5)),
      )
    expect(statuses(linesWith('pause'))).toEqual(['in-progress', 'paused', 'paused', 'in-progress'])
    expect(states(linesWith('warning'))).toEqual(['kept', 'warned', 'warned', 'kept'])
  })

  it('counts the trades of a day row as trades', () => {
    const traded = wholeDay(on(3), '100000.00', '100000.00', '100000.00')
    const idle = wholeDay(on(3), '100000.00', '100000.00', '100000.00', { trades: 0 })
    const shown = (day: Written) =>
      lastOf(
        { rules: [inactivity({ days: 9 }), maximumDays({ days: 9, counts: 'traded' })] },
        clock(on(2)),
        day,
        clock(on(4)),
      ).rules.map(({ days }) => days)
    expect(shown(traded)).toEqual([0, 1])
    expect(shown(idle)).toEqual([2, 0])
  })
})

describe('"A floor is shown as the cent at which the state changes"', () => {
  const size = '12345.67'
  /** The exact floor is 11,386.411441. */
  const maximum = (touch: 'breach' | 'allowed') => maximumLoss({ limit: percent('7.77'), touch })
  const shown = (rules: Parameters<typeof lastOf>[0]['rules'], ...rows: readonly Written[]) => {
    const { rules: lines, cause, status } = lastOf({ size, rules }, ...rows)
    return { status, floor: lines[0]?.floor, room: lines[0]?.room, cause: cause?.floor ?? null }
  }

  it.each([
    ['breach', '11386.42', { status: 'in-progress', floor: '11386.41', room: '0.01', cause: null }],
    ['breach', '11386.41', { status: 'breached', floor: '11386.41', room: '0.00', cause: '11386.41' }],
    ['allowed', '11386.42', { status: 'in-progress', floor: '11386.42', room: '0.00', cause: null }],
    ['allowed', '11386.41', { status: 'breached', floor: '11386.42', room: '0.00', cause: '11386.42' }],
  ] as const)('of a maximum loss, touch %s, at %s', (touch, equity, expected) => {
    expect(shown([maximum(touch)], state(on(2), size, equity))).toEqual(expected)
  })

  it.each([
    // The day starts at 9,999.99, of which 3.33 % are 332.999667.
    ['breach', '9666.99', 'breached', '9666.99'],
    ['breach', '9667.00', 'in-progress', '9666.99'],
    ['allowed', '9667.00', 'in-progress', '9667.00'],
    ['allowed', '9666.99', 'breached', '9667.00'],
  ] as const)('of a daily loss of the day, touch %s, at %s', (touch, equity, status, floor) => {
    const daily = dailyLoss({ limit: { percent: '3.33', of: 'day-start-balance' }, touch })
    const rows = [state(on(2), '9999.99'), state(on(3), '9999.99', equity)]
    const line = lastOf({ size: '10000.00', rules: [daily] }, ...rows)
    expect([line.status, line.rules[0]?.floor]).toEqual([status, floor])
  })

  it('of one that follows, and where it locks', () => {
    const follows = maximumLoss({
      ...followsBalance,
      limit: { percent: '7.77', of: 'high' },
      locksAbove: percent('0.001'),
    })
    // 92.23 % of 13,000.01 are 11,989.909223.
    expect(shown([follows], state(on(2), '13000.01'))).toMatchObject({ floor: '11989.90' })
    // The size and a hundred-thousandth of it: 12,345.7934567.
    expect(shown([follows], state(on(2), '20000.00'))).toMatchObject({ floor: '12345.79' })
    expect(shown([follows], state(on(2), '20000.00'), state(on(3), '12345.79'))).toMatchObject({
      ...{ status: 'breached', cause: '12345.79' },
    })
  })

  it('in words as in figures', () => {
    const words = (touch: 'breach' | 'allowed') => ruleInWords(maximum(touch), 1_234_567, { funded: false }).text
    expect(words('breach')).toContain('($959.26): the floor is $11,386.41. When the equity is at or below it,')
    expect(words('allowed')).toContain('($959.25): the floor is $11,386.42. When the equity is below it,')
  })

  it('compares causes and rooms as shown, of equals the first rule', () => {
    const daily = dailyLoss({ limit: fixed('959.26') })
    for (const rules of [
      [daily, maximum('breach')],
      [maximum('breach'), daily],
    ]) {
      expect(lastOf({ size, rules }, state(on(2), size, '11000.00')).cause?.kind).toBe(rules[0]?.kind)
      expect(lastOf({ size, rules }, state(on(2), size, '12000.00')).nearest).toBe(rules[0]?.kind)
    }
  })

  it('keeps a payout one cent above it, or at it where touch is allowed', () => {
    const available = (touch: 'breach' | 'allowed') =>
      lastOf({ size, rules: [maximum(touch)], payouts: payouts() }, state(on(2), '13000.00', '11400.00')).payout
        ?.available
    expect(available('breach')).toBe('13.58')
    expect(available('allowed')).toBe('13.58')
    const whole = { size: '10000.00', rules: [maximumLoss({ touch: 'breach' })], payouts: payouts() }
    expect(lastOf(whole, state(on(2), '11000.00', '9500.00')).payout?.available).toBe('499.99')
  })
})
