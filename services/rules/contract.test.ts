import { describe, expect, it } from 'vitest'
import {
  clock,
  consistency,
  dailyLoss,
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
  trade,
  transfer,
  wholeDay,
} from '#test-support/rules.ts'

// Each test quotes the sentence of rules.md that it is about.

const followsEquity = { follows: { value: 'equity', at: 'every-change' } } as const
const followsBalance = { follows: { value: 'balance', at: 'every-change' } } as const
const followsClose = { follows: { value: 'balance', at: 'day-close' } } as const
const figures = (line: ReturnType<typeof lastOf>, index = 0) => line.rules[index]
const floors = (lines: ReturnType<typeof linesOf>) => lines.map(({ rules }) => rules[0]?.floor)
const states = (lines: ReturnType<typeof linesOf>, index = 0) => lines.map(({ rules }) => rules[index]?.state)

describe('principles', () => {
  it('"Products are exact and rounded once: what limits or has to be reached up to the cent"', () => {
    const stage = {
      size: '99999.99',
      rules: [maximumLoss({ limit: percent('3.333') }), profitTarget({ target: percent('3.333') })],
    }
    // 99,999.99 × 3.333 % is 3,332.9996667: the floor is 96,666.9903333.
    expect(figures(lastOf(stage, clock(on(2))))).toMatchObject({ floor: '96667.00', room: '3332.99' })
    expect(figures(lastOf(stage, clock(on(2))), 1)).toMatchObject({ target: '103332.99' })
  })

  it('"what is paid out down"', () => {
    const stage = { rules: [], payouts: payouts({ split: '33.33', mostOfProfit: '33.33' }) }
    // A third of 100.01 is 33.333333, and a third of 33.33 is 11.108889.
    expect(lastOf(stage, state(on(2), '100100.01')).payout).toMatchObject({
      available: '33.33',
      traderReceives: '11.10',
    })
  })

  it('"a shown `share` half up"', () => {
    const shareOf = (...days: string[]) =>
      figures(
        lastOf(
          { rules: [consistency(), profitTarget()] },
          ...days.map((profit, index) => trade(on(2 + index), profit)),
        ),
      )?.share
    expect(shareOf('1.00', '1.00', '1.00')).toBe('33.33')
    expect(shareOf('2.00', '1.00')).toBe('66.67')
    // 1 of 16 is 6.25 %, 1 of 800 is 0.125 %.
    expect(shareOf('0.01', ...Array.from({ length: 799 }, () => '0.01'))).toBe('0.13')
  })

  it('"States are decided on exact values, not on rounded ones."', () => {
    // The floor is 96,666.9903333: 96,666.99 is below it, 96,667.00 is above.
    const stage = { size: '99999.99', rules: [maximumLoss({ limit: percent('3.333'), touch: 'allowed' as const })] }
    expect(states(linesOf(stage, state(on(2), '96667.00'), state(on(3), '96666.99')))).toEqual(['kept', 'breached'])
    const touching = { ...stage, rules: [maximumLoss({ limit: percent('3.333') })] }
    expect(states(linesOf(touching, state(on(2), '96667.00')))).toEqual(['kept'])
  })

  it('"Only `reported` values breach, raise a floor, start a day or reach a goal. `computed` and `estimated` ones are shown and checked (`suspected`, for staff) and leave no trace."', () => {
    const stage = { rules: [maximumLoss(followsEquity), dailyLoss(), profitTarget()] }
    for (const quality of ['computed', 'estimated']) {
      const lines = linesOf(
        stage,
        state(on(2, '09:00'), '100000.00'),
        state(on(2, '10:00'), '120000.00', '120000.00', { quality }),
        state(on(2, '11:00'), '80000.00', '80000.00', { quality }),
        clock(on(3)),
      )
      expect(lines.map(({ balance }) => balance)).toEqual(['100000.00', '120000.00', '80000.00', '100000.00'])
      expect(states(lines)).toEqual(['kept', 'kept', 'suspected', 'kept'])
      expect(floors(lines)).toEqual(['90000.00', '90000.00', '90000.00', '90000.00'])
      expect(states(lines, 2)).toEqual(['open', 'open', 'open', 'open'])
      expect(lines.at(-1)).toMatchObject({ status: 'in-progress', rules: [{}, { floor: '95000.00' }, {}] })
    }
  })

  it('"If a day row has only its lowest and highest equity and their order decides, the state is `undetermined`, never a guess."', () => {
    const line = lastOf(
      { rules: [maximumLoss({ limit: fixed('3000.00'), ...followsEquity })] },
      wholeDay(on(2), '98000.00', '102000.00', '101000.00'),
    )
    expect(line).toMatchObject({ status: 'in-progress', rules: [{ floor: '99000.00', state: 'undetermined' }] })
  })
})

describe('trading days', () => {
  const daysOf = (zone: string, startsAt: string, ...instants: string[]) =>
    linesOf({ zone, startsAt, rules: [] }, ...instants.map(clock)).map(({ day }) => day)

  it('"runs from `startsAt` to the next `startsAt` in the zone and is named after the local date on which it starts"', () => {
    expect(daysOf('Europe/Prague', '00:00', '2026-11-01T22:59:59.999Z', '2026-11-01T23:00:00Z')).toEqual([
      '2026-11-01',
      '2026-11-02',
    ])
    expect(daysOf('America/New_York', '17:00', '2026-11-02T21:59:59Z', '2026-11-02T22:00:00Z')).toEqual([
      '2026-11-01',
      '2026-11-02',
    ])
  })

  it('"Where the clock skips that moment, the day starts at the first instant after it"', () => {
    // On 2026-03-29 Prague goes from 02:00 to 03:00, at 01:00 UTC.
    expect(daysOf('Europe/Prague', '02:30', '2026-03-29T00:59:59Z', '2026-03-29T01:00:00Z')).toEqual([
      '2026-03-28',
      '2026-03-29',
    ])
  })

  it('"where it comes twice, at the first"', () => {
    // On 2026-10-25 Prague comes to 02:30 at 00:30 and again at 01:30 UTC.
    expect(
      daysOf('Europe/Prague', '02:30', '2026-10-25T00:29:59Z', '2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z'),
    ).toEqual(['2026-10-24', '2026-10-25', '2026-10-25'])
  })

  it('"Days without an observation begin and end too."', () => {
    const stage = { rules: [dailyLoss({ consequence: 'warning', checked: 'day-close' })] }
    expect(states(linesOf(stage, state(on(2), '95000.00'), clock(on(3)), clock(on(4))))).toEqual([
      'kept',
      'warned',
      'kept',
    ])
    expect(states(linesOf(stage, state(on(2), '95000.00'), clock(on(4))))).toEqual(['kept', 'kept'])
  })

  it('"The stage opens on the day of its first observation."', () => {
    expect(figures(lastOf({ rules: [minimumDays()] }, clock(on(2)), clock(on(4))))).toEqual({
      kind: 'minimum-days',
      days: 3,
      state: 'met',
    })
  })
})

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

describe('payouts', () => {
  const after = (change: Parameters<typeof payouts>[0], ...observations: Parameters<typeof lastOf>[1][]) =>
    lastOf({ rules: [], payouts: payouts(change) }, ...observations).payout

  it('"of the profit it covers the trader\'s part is `split` percent, rounded down"', () => {
    expect(after({ split: '80' }, state(on(2), '100000.01'))).toMatchObject({
      available: '0.01',
      traderReceives: '0.00',
    })
  })

  it("\"`firm-share-first` (with each payout the firm's share of the whole profit leaves, and of the trader's share what was asked; what stays is the trader's and is never profit again)\"", () => {
    const change = { takes: 'firm-share-first' as const }
    expect(after(change, state(on(2), '110000.00'))).toMatchObject({ available: '10000.00', traderReceives: '8000.00' })
    // The firm's 2,000 and 3,000 of the trader's 8,000 leave. 5,000 stay.
    expect(after(change, state(on(2), '110000.00'), payout(on(3), '5000.00'))).toMatchObject({ profit: '0.00' })
    expect(after(change, state(on(2), '110000.00'), payout(on(3), '5000.00'), state(on(4), '106000.00'))).toMatchObject(
      { profit: '1000.00', traderReceives: '800.00' },
    )
  })

  it('"`splitAfter`: `[{ "payouts": 3, "split": "90" }]`"', () => {
    const change = { splitAfter: [{ payouts: 1, split: '90' }] }
    expect(after(change, state(on(2), '101000.00'))?.split).toBe('80')
    expect(after(change, state(on(2), '101000.00'), payout(on(3), '500.00'))).toMatchObject({
      split: '90',
      traderReceives: '450.00',
    })
  })

  it('"`firstAfterDays` counts calendar days from the stage\'s opening or the `first-trade`, `everyDays` from the last payout."', () => {
    const change = { firstAfterDays: 14, everyDays: 7 }
    expect(after(change, state(on(2), '101000.00'))).toMatchObject({
      from: '2026-11-16',
      missing: ['first-after-days'],
      available: '0.00',
    })
    expect(after(change, state(on(2), '101000.00'), clock(on(16)))).toMatchObject({
      from: null,
      missing: [],
      available: '1000.00',
    })
    const traded = { ...change, firstCountsFrom: 'first-trade' as const }
    expect(after(traded, clock(on(2)), trade(on(4), '1000.00'))).toMatchObject({ from: '2026-11-18' })
    expect(after(change, state(on(2), '102000.00'), payout(on(16), '1000.00'))).toMatchObject({
      from: '2026-11-23',
      missing: ['every-days'],
    })
  })

  it('"`minimum` of the `share` that the trader receives or of the `profit` taken"', () => {
    expect(after({ minimum: fixed('100.00') }, state(on(2), '100124.99'))?.missing).toEqual(['minimum'])
    expect(after({ minimum: fixed('100.00') }, state(on(2), '100125.00'))?.missing).toEqual([])
    expect(after({ minimum: fixed('100.00'), minimumOf: 'profit' }, state(on(2), '100100.00'))?.missing).toEqual([])
  })

  it('"`cap` per payout or `null`, for the first `capFor` payouts (`null`: all)"', () => {
    const change = { cap: fixed('500.00'), capFor: 1 }
    expect(after(change, state(on(2), '102000.00'))?.available).toBe('500.00')
    expect(after(change, state(on(2), '102000.00'), payout(on(3), '500.00'))?.available).toBe('1500.00')
    expect(after({ ...change, capFor: null }, state(on(2), '102000.00'), payout(on(3), '500.00'))?.available).toBe(
      '500.00',
    )
  })

  it('"`buffer`: profit that stays. `mostOfProfit`: percent of the profit that one payout may take."', () => {
    expect(after({ buffer: fixed('2000.00') }, state(on(2), '102100.00'))?.available).toBe('100.00')
    expect(after({ mostOfProfit: '50' }, state(on(2), '104000.00'))?.available).toBe('2000.00')
  })

  it('"`stays`; `falls` (the high falls by the payout); `locks` (at the account size, even if it was higher); `restarts` (the high becomes the balance after the payout; this one also unlocks)"', () => {
    const paid = (floor: 'stays' | 'falls' | 'locks' | 'restarts', locksAbove: { amount: string } | null = null) =>
      figures(
        lastOf(
          {
            rules: [maximumLoss({ limit: fixed('5000.00'), ...followsBalance, locksAbove })],
            payouts: payouts({ floor }),
          },
          state(on(2), '108000.00'),
          payout(on(3), '3000.00'),
        ),
      )
    expect(paid('stays')).toMatchObject({ floor: '103000.00', locked: false })
    expect(paid('falls')).toMatchObject({ floor: '100000.00', locked: false })
    expect(paid('locks')).toMatchObject({ floor: '100000.00', locked: true })
    expect(paid('restarts')).toMatchObject({ floor: '100000.00', locked: false })
    expect(paid('falls', fixed('1000.00'))).toMatchObject({ floor: '101000.00', locked: true })
    expect(paid('restarts', fixed('1000.00'))).toMatchObject({ floor: '100000.00', locked: false })
  })

  it('"what keeps balance and measured value one cent above the maximum-loss floor that will hold after the payout (at it, where touch is allowed; no limit under `falls` and `restarts`)"', () => {
    const available = (floor: 'stays' | 'falls' | 'locks' | 'restarts', touch: 'breach' | 'allowed' = 'breach') =>
      lastOf(
        { rules: [maximumLoss({ limit: fixed('5000.00'), ...followsBalance, touch })], payouts: payouts({ floor }) },
        state(on(2), '107000.00'),
      ).payout?.available
    expect(available('stays')).toBe('4999.99')
    expect(available('stays', 'allowed')).toBe('5000.00')
    expect(available('locks')).toBe('6999.99')
    expect(available('falls')).toBe('7000.00')
    expect(available('restarts')).toBe('7000.00')
  })

  it('"While anything is missing it is 0.00, and `missing` says what"', () => {
    const stage = {
      rules: [maximumLoss(), minimumDays(), consistency()],
      payouts: payouts({ firstAfterDays: 9, minimum: fixed('50.00') }),
    }
    expect(lastOf(stage, trade(on(2), '10.00')).payout).toEqual({
      profit: '10.00',
      available: '0.00',
      split: '80',
      traderReceives: '0.00',
      from: '2026-11-11',
      missing: ['minimum-days', 'consistency', 'first-after-days', 'minimum'],
    })
    expect(lastOf(stage, trade(on(2), '-20000.00')).payout?.missing).toEqual([
      'minimum-days',
      'first-after-days',
      'minimum',
      'profit',
      'breached',
    ])
  })
})

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
