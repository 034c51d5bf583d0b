import { describe, expect, it } from 'vitest'
import {
  clock,
  consistency,
  dailyLoss,
  figures,
  fixed,
  floors,
  followsEquity,
  inactivity,
  lastOf,
  linesOf,
  maximumDays,
  maximumLoss,
  minimumDays,
  on,
  parsed,
  payouts,
  percent,
  profitTarget,
  rulesOfStage,
  run,
  state,
  states,
  trade,
  wholeDay,
  type Stage,
  type Written,
} from '#test-support/rules.ts'
import { rulesOf, startOf } from './engine.ts'
import { programme, type RuleTerms } from './programme.ts'

// Each test quotes the sentence of rules.md that it is about.

describe('principles', () => {
  it('"Products are exact and rounded once: what has to be reached up to the cent"', () => {
    const stage = {
      size: '99999.99',
      rules: [maximumLoss({ limit: percent('3.333') }), profitTarget({ target: percent('3.333') })],
    }
    // 99,999.99 × 3.333 % is 3,332.9996667: the floor is 96,666.9903333.
    expect(figures(lastOf(stage, clock(on(2))))).toMatchObject({ floor: '96666.99', room: '3333.00' })
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

describe('principles of the engine', () => {
  it('"One pure function: `(rules, state, observation) → (state, findings)`. No clock, no I/O."', () => {
    const rules = rulesOfStage({ rules: [maximumLoss(followsEquity), dailyLoss(), consistency()] })
    const observations = parsed([trade(on(2), '900.00'), state(on(3), '101000.00'), clock(on(4))])
    const start = deepFrozen(startOf(rules))
    const first = run(rules, observations, start)
    // Strict code throws when it writes to what is frozen.
    const half = deepFrozen(run(rules, observations.slice(0, 2), start).state)
    expect(run(rules, observations.slice(2), half).lines).toEqual(first.lines.slice(2))
    expect(run(rules, observations, start)).toEqual(first)
  })

  it('"Money is integer cents inside, a decimal string outside, percentages are decimal strings."', () => {
    const rules = rulesOfStage({ rules: [maximumLoss({ limit: percent('3.333') })], size: '99999.99' })
    const { lines, state: after } = run(rules, parsed([state(on(2), '99999.99')]))
    expect(after.account).toMatchObject({ balance: 9_999_999, equity: 9_999_999 })
    expect(lines).toMatchObject([{ balance: '99999.99', rules: [{ floor: '96666.99', room: '3333.00' }] }])
    for (const written of [5, '5%', '.5', '5.', '-5', '1e1', ' 5', '5.123456789'])
      expect(isValid([{ ...maximumLoss(), limit: { percent: written, of: 'account-size' } }])).toBe(false)
  })

  const everyRule = [
    maximumLoss(followsEquity),
    dailyLoss(),
    profitTarget(),
    minimumDays({ counts: { what: 'profit', atLeast: fixed('1.00'), of: 'closed' } }),
    maximumDays(),
    inactivity(),
    consistency(),
  ]

  it.each(everyRule.flatMap((rule) => Object.keys(rule).map((parameter) => [rule.kind, parameter, rule] as const)))(
    '"There is no hidden default: the schema requires every parameter": %s without %s',
    (_, parameter, rule) => {
      expect(isValid([rule])).toBe(true)
      expect(isValid([{ ...rule, [parameter]: undefined }])).toBe(false)
    },
  )

  it.each(Object.keys(payouts()))(
    '"There is no hidden default: the schema requires every parameter": payouts without %s',
    (parameter) => {
      expect(isValid([], { funded: true, payouts: payouts() })).toBe(true)
      expect(isValid([], { funded: true, payouts: { ...payouts(), [parameter]: undefined } })).toBe(false)
    },
  )

  it('"`evaluate` computes the same for both", "The optional `passes` says the same of passing a stage; without it passes are proposed."', () => {
    const linesWith = (terms: Written, observations: readonly Written[]) =>
      run(
        rulesOf(programme.parse({ ...programmeOf([maximumLoss(), profitTarget()]), ...terms }), 0),
        parsed(observations),
      ).lines
    for (const observations of [[state(on(2), '89000.00')], [state(on(2), '108000.00')], [state(on(2), '100000.00')]]) {
      const expected = linesWith({ breaches: 'proposed' }, observations)
      for (const breaches of ['proposed', 'automatically'])
        for (const passes of [{}, { passes: 'proposed' }, { passes: 'automatically' }])
          expect(linesWith({ breaches, ...passes }, observations)).toEqual(expected)
    }
  })
})

describe('a programme', () => {
  it('"`of` is `account-size` or what the rule adds"', () => {
    const limitOf = (rule: RuleTerms, of: string) => isValid([{ ...rule, limit: { percent: '5', of } }])
    expect(limitOf(maximumLoss(followsEquity), 'high')).toBe(true)
    expect(limitOf(maximumLoss(followsEquity), 'day-start-balance')).toBe(false)
    for (const reference of ['day-start-balance', 'day-start-equity', 'day-start-higher', 'day-high-equity'])
      expect(limitOf(dailyLoss(), reference)).toBe(true)
    expect(limitOf(dailyLoss(), 'high')).toBe(false)
    for (const reference of ['high', 'day-start-balance', 'balance'])
      expect(isValid([{ ...profitTarget(), target: { percent: '5', of: reference } }])).toBe(false)
  })

  it('"All of `limit`, `locksAbove`, `target`, `atLeast`, `minimum`, `cap`, `buffer` are amounts"', () => {
    const stageWith = (five: ReturnType<typeof fixed> | ReturnType<typeof percent>): Stage => ({
      size: '50000.00',
      rules: [
        maximumLoss({ limit: five, locksAbove: five, ...followsEquity }),
        dailyLoss({ limit: five }),
        profitTarget({ target: five }),
        minimumDays({ counts: { what: 'profit', atLeast: five, of: 'closed' } }),
      ],
      payouts: payouts({ minimum: five, cap: five, buffer: five }),
    })
    const observations = [state(on(2), '52500.00'), state(on(3), '56000.00'), state(on(4), '51000.00')]
    const lines = linesOf(stageWith(percent('5')), ...observations)
    expect(lines).toEqual(linesOf(stageWith(fixed('2500.00')), ...observations))
    expect(lines[1]).toMatchObject({
      rules: [
        { floor: '52500.00', locked: true },
        { floor: '50000.00' },
        { target: '52500.00', state: 'met' },
        { days: 2 },
      ],
    })
  })

  it('"`split`, `share`, `mostOfProfit` are bare percentages (`"100"`: no limit)"', () => {
    const five = percent('5')
    expect(isValid([{ ...consistency(), share: five }])).toBe(false)
    expect(isValid([], { funded: true, payouts: { ...payouts(), split: five } })).toBe(false)
    expect(isValid([], { funded: true, payouts: { ...payouts(), mostOfProfit: five } })).toBe(false)
    const line = lastOf(
      { rules: [consistency({ share: '100' })], payouts: payouts({ split: '100', mostOfProfit: '100' }) },
      trade(on(2), '700.00'),
    )
    expect(line).toMatchObject({ rules: [{ state: 'met' }], payout: { available: '700.00', traderReceives: '700.00' } })
  })

  it('"`payouts` stands in every funded stage and in no other."', () => {
    expect(isValid([], { funded: true, payouts: payouts() })).toBe(true)
    expect(isValid([], { funded: true })).toBe(false)
    expect(isValid([], { funded: false })).toBe(true)
    expect(isValid([], { funded: false, payouts: payouts() })).toBe(false)
  })

  it('"A kind may stand several times."', () => {
    const rules = [
      maximumLoss(),
      maximumLoss({ limit: percent('5'), consequence: 'warning' }),
      consistency(),
      consistency({ unit: 'trade' }),
    ]
    expect(lastOf({ rules }, state(on(2), '94000.00')).rules).toMatchObject([
      { kind: 'maximum-loss', floor: '90000.00', state: 'kept' },
      { kind: 'maximum-loss', floor: '95000.00', state: 'warned' },
      { kind: 'consistency' },
      { kind: 'consistency' },
    ])
  })

  it('"Every rule has `kind` and, unless it is a goal (`profit-target`, `minimum-days`, `consistency`), a `consequence`: `breach`, `pause`, or `warning`"', () => {
    for (const rule of [maximumLoss(), dailyLoss(), maximumDays(), inactivity()]) {
      for (const consequence of ['breach', 'pause', 'warning']) expect(isValid([{ ...rule, consequence }])).toBe(true)
      expect(isValid([{ ...rule, consequence: 'note' }])).toBe(false)
    }
    for (const goal of [profitTarget(), minimumDays(), consistency()])
      expect(isValid([{ ...goal, consequence: 'warning' }])).toBe(false)
  })
})

function programmeOf(rules: readonly unknown[], stage: Written = { funded: false }) {
  return {
    name: 'Test',
    currency: 'USD',
    accountSize: '100000.00',
    day: { zone: 'UTC', startsAt: '00:00' },
    breaches: 'proposed',
    stages: [{ name: 'Stage', rules, ...stage }],
  }
}

function isValid(rules: readonly unknown[], stage?: Written): boolean {
  return programme.safeParse(programmeOf(rules, stage)).success
}

function deepFrozen<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) deepFrozen(part)
  return Object.freeze(value)
}
