import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createRandom } from '../demo/random.ts'
import { startOf, type State } from '#services/rules/engine.ts'
import { nothingPaidOut, sharesOf } from '#services/rules/payouts.ts'
import type { RuleTerms } from '#services/rules/programme.ts'
import { randomSeed } from './random-seed.ts'
import {
  consistency,
  dailyLoss,
  fixed,
  inactivity,
  maximumDays,
  maximumLoss,
  minimumDays,
  parsed,
  payouts,
  percent,
  profitTarget,
  rule,
  run,
  rulesOfStage,
  type Stage,
  type Written,
} from './rules.ts'

// What holds for any programme and any observations. A failure prints its seed.

const usd = (cents: number): string => (cents / 100).toFixed(2)
const anyUsd = (min: number, max: number) => fc.integer({ min: min * 100, max: max * 100 }).map(usd)
const anyConsequence = fc.constantFrom('breach' as const, 'pause' as const, 'warning' as const)
const anyMeasure = fc.constantFrom('equity' as const, 'balance' as const, 'lower' as const)
const anyCheck = fc.constantFrom('every-change' as const, 'day-close' as const)
const anyTouch = fc.constantFrom('breach' as const, 'allowed' as const)
const anySince = fc.constantFrom('stage' as const, 'last-payout' as const)
const anyPercent = fc.integer({ min: 1, max: 2_000 }).map((hundredths) => usd(hundredths))
const anyFollows = fc.option(
  fc.record({ value: fc.constantFrom('balance' as const, 'equity' as const, 'higher' as const), at: anyCheck }),
)

const anyMaximumLoss = fc
  .record({
    limit: anyPercent.map(percent),
    follows: anyFollows,
    locksAbove: fc.option(anyUsd(0, 3_000).map(fixed)),
    measures: anyMeasure,
    checked: anyCheck,
    touch: anyTouch,
    consequence: anyConsequence,
  })
  .map(maximumLoss)
const anyDailyLoss = fc
  .record({
    limit: fc.oneof(
      anyUsd(500, 6_000).map(fixed),
      fc.record({ percent: anyPercent, of: fc.constantFrom('day-start-balance' as const, 'day-high-equity' as const) }),
    ),
    from: fc.constantFrom(
      'day-start-balance' as const,
      'day-start-equity' as const,
      'day-start-higher' as const,
      'day-high-equity' as const,
    ),
    measures: anyMeasure,
    checked: anyCheck,
    touch: anyTouch,
    consequence: anyConsequence,
  })
  .map(dailyLoss)
const anyResult = fc.record({
  atLeast: anyUsd(0, 800).map(fixed),
  of: fc.constantFrom('closed' as const, 'equity' as const),
})
const anyCounts = fc.oneof(
  fc.constant({ what: 'calendar' as const }),
  fc.constantFrom('opened' as const, 'closed' as const).map((day) => ({ what: 'traded' as const, day })),
  anyResult.map((result) => ({ what: 'profit' as const, ...result })),
  anyResult.map((result) => ({ what: 'result' as const, ...result })),
)
const anySymbol = fc.constantFrom('EURUSD', 'GBPUSD', 'XAUUSD', 'US30')
const anyNames = fc.uniqueArray(fc.constantFrom('EUR*', 'gbpusd', 'XAUUSD', '*'), { minLength: 1, maxLength: 2 })
const anyJudgement: fc.Arbitrary<Written> = fc.oneof(
  fc.record({
    kind: fc.constant('holding-time'),
    atLeast: fc.constantFrom(0, 1_800, 90_000),
    of: fc.constantFrom('all', 'profitable'),
  }),
  fc.record({
    kind: fc.constant('flat-at'),
    at: fc.constantFrom('02:30', '16:50'),
    weekdays: fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
    symbols: fc.option(anyNames),
  }),
  fc.record({
    kind: fc.constant('news'),
    before: fc.constantFrom(0, 30),
    after: fc.constantFrom(0, 30, 300),
    judges: fc.constantFrom('opening', 'closing', 'either', 'holding'),
    impacts: fc.constantFrom(['high'], ['low', 'high']),
  }),
  fc.record({
    kind: fc.constant('volume'),
    most: fc.constantFrom('1.5', '4'),
    per: fc.constantFrom('trade', 'open'),
    symbols: fc.option(anyNames),
  }),
  anyNames.map((allowed) => ({ kind: 'symbols', allowed, forbidden: null })),
  fc.constant({ kind: 'hedging' }),
  fc.record({
    kind: fc.constant('trades-per-day'),
    most: fc.integer({ min: 0, max: 3 }),
    day: fc.constantFrom('opened', 'closed'),
  }),
)
const anyBehaviour = fc
  .record({
    judgement: anyJudgement,
    tolerated: fc.constantFrom(0, 0, 1, 3),
    what: fc.constantFrom<Written>(
      { consequence: 'breach' },
      { consequence: 'pause' },
      { consequence: 'warning' },
      { consequence: 'excludes-profit' },
      { consequence: 'excludes-profit', counts: '33.3' },
    ),
  })
  .map(({ judgement, tolerated, what }) => rule({ ...judgement, tolerated, ...what }))
const anyShortTrades = fc
  .record({
    kind: fc.constant('short-trades'),
    shorterThan: fc.constantFrom(0, 3_600, 90_000),
    by: fc.constantFrom('profit', 'trades'),
    mostShare: anyPercent,
    since: anySince,
  })
  .map(rule)
const anyRule: fc.Arbitrary<RuleTerms> = fc.oneof(
  anyBehaviour,
  anyBehaviour,
  anyShortTrades,
  anyMaximumLoss,
  anyDailyLoss,
  fc
    .record({
      target: anyUsd(500, 20_000).map(fixed),
      measures: fc.constantFrom('balance' as const, 'equity' as const),
      whileOpen: fc.boolean(),
    })
    .map(profitTarget),
  fc.record({ days: fc.integer({ min: 1, max: 9 }), counts: anyCounts, since: anySince }).map(minimumDays),
  fc
    .record({
      days: fc.integer({ min: 3, max: 20 }),
      counts: fc.constantFrom('calendar' as const, 'traded' as const),
      consequence: anyConsequence,
    })
    .map(maximumDays),
  fc.record({ days: fc.integer({ min: 2, max: 9 }), consequence: anyConsequence }).map(inactivity),
  fc
    .record({
      share: anyPercent,
      unit: fc.constantFrom('day' as const, 'trade' as const),
      profit: fc.constantFrom('net' as const, 'profitable-days' as const),
      since: anySince,
      effect: fc.constantFrom('withholds' as const, 'raises-target' as const, 'excludes-excess' as const),
    })
    .map(consistency),
)
const anyPayouts = fc
  .record({
    takes: fc.constantFrom('request' as const, 'everything' as const, 'firm-share-first' as const),
    split: fc.integer({ min: 0, max: 10_000 }).map(usd),
    splitAfter: fc.array(fc.record({ payouts: fc.integer({ min: 1, max: 4 }), split: fc.constantFrom('90', '100') }), {
      maxLength: 2,
    }),
    firstAfterDays: fc.nat(9),
    everyDays: fc.nat(9),
    cap: fc.option(anyUsd(100, 5_000).map(fixed)),
    buffer: anyUsd(0, 1_000).map(fixed),
    floor: fc.constantFrom('stays' as const, 'falls' as const, 'locks' as const, 'restarts' as const),
  })
  .map(payouts)
/** Twelve days around the end of summer time in New York. */
const START = Date.UTC(2026, 9, 26)
const halfHour = (number: number) => new Date(START + number * 1_800_000).toISOString()
const anyAt = fc.integer({ min: 0, max: 12 * 48 }).map(halfHour)
const anyCalendar: fc.Arbitrary<Written[]> = fc.uniqueArray(
  fc.record({
    id: fc.constantFrom('a', 'b', 'c'),
    at: anyAt,
    currency: fc.constantFrom('USD', 'EUR', 'GBP'),
    impact: fc.constantFrom('low', 'medium', 'high'),
    title: fc.constant('News'),
    publishedAt: anyAt,
  }),
  { selector: ({ id, publishedAt }) => `${id} ${publishedAt}`, maxLength: 8 },
)
const anyStage: fc.Arbitrary<Stage> = fc
  .record({
    rules: fc.array(anyRule, { maxLength: 8 }),
    calendar: anyCalendar,
    terms: fc.option(anyPayouts),
    zone: fc.constantFrom('UTC', 'Europe/Prague', 'America/New_York'),
    startsAt: fc.constantFrom('00:00', '02:30', '17:00'),
  })
  .map(({ terms, ...stage }) => (terms ? { ...stage, payouts: terms } : stage))

const anyQuality = fc.constantFrom('reported', 'reported', 'reported', 'computed', 'estimated')
const anyState = fc.record({
  at: anyAt,
  kind: fc.constant('state'),
  balance: anyUsd(93_000, 112_000),
  equity: anyUsd(93_000, 112_000),
  open: fc.boolean(),
  quality: anyQuality,
})
/** Mostly of some positions that overlap. A fact that is not known is absent. */
const anyTrade: fc.Arbitrary<Written> = fc
  .record({
    openedAt: fc.option(fc.nat(12 * 48)),
    held: fc.constantFrom(0, 0, 1, 2, 2, 3, 48, 96),
    id: fc.uuid(),
    profit: anyUsd(-300, 600),
    volume: fc.constantFrom('0.5', '1.00', '2.000000000000001'),
    symbol: fc.option(anySymbol),
    side: fc.option(fc.constantFrom('buy', 'sell')),
  })
  .map(({ openedAt, held, id, profit, volume, symbol, side }) => ({
    ...{ at: halfHour((openedAt ?? 0) + held), kind: 'trade', id, profit, volume },
    ...(openedAt !== null && { openedAt: halfHour(openedAt) }),
    ...(symbol !== null && { symbol }),
    ...(side !== null && { side }),
  }))
const anyObservation: fc.Arbitrary<Written> = fc.oneof(
  anyState,
  fc.record({
    at: anyAt,
    kind: fc.constant('trade'),
    id: fc.uuid(),
    openedAt: anyAt,
    profit: anyUsd(-2_500, 3_000),
    volume: fc.constant('1.00'),
  }),
  anyTrade,
  fc.record({ at: anyAt, kind: fc.constant('payout'), amount: anyUsd(1, 3_000) }),
  fc.record({
    at: anyAt,
    kind: fc.constant('transfer'),
    id: fc.uuid(),
    amount: anyUsd(-500, 500),
    why: fc.constant('correction'),
  }),
  fc.record({ at: anyAt, kind: fc.constant('clock') }),
)
/** A whole day; its lowest and highest have its close between them. */
const anyDay: fc.Arbitrary<Written> = fc
  .record({
    at: anyAt,
    balance: anyUsd(93_000, 112_000),
    equity: fc.integer({ min: 9_300_000, max: 11_200_000 }),
    below: fc.nat(400_000),
    above: fc.nat(400_000),
    trades: fc.nat(3),
    quality: anyQuality,
  })
  .map(({ equity, below, above, ...day }) => ({
    ...day,
    kind: 'day',
    date: day.at.slice(0, 10),
    equity: usd(equity),
    lowestEquity: usd(equity - below),
    highestEquity: usd(equity + above),
  }))
/** "A day's date with two contents is a fault": each date stands once. */
const anyDays = fc.uniqueArray(anyDay, { selector: ({ date }) => date, maxLength: 6 })
const anyObservations = fc
  .tuple(fc.array(anyObservation, { minLength: 1, maxLength: 30 }), anyDays)
  .map(([observations, days]) => [...observations, ...days])

/** The same items in another order. */
function shuffled<Item>(items: readonly Item[], seed: number): Item[] {
  const random = createRandom(seed)
  return items
    .map((item) => ({ item, key: random.next() }))
    .toSorted((one, other) => one.key - other.key)
    .map(({ item }) => item)
}

/** Vitest compares slowly, and is only needed to show a difference. */
function expectSame<Value>(actual: Value, expected: Value): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual).toEqual(expected)
}

/** Limits that differ in one parameter, the stricter first. */
const anyStrictness = fc.oneof(
  fc
    .tuple(fc.oneof(anyMaximumLoss, anyDailyLoss), fc.uniqueArray(fc.nat(2_000), { minLength: 2, maxLength: 2 }))
    .map(([rule, limits]) =>
      limits
        .toSorted((one, other) => one - other)
        .map((limit) => withFloor(rule, { limit: percent(usd(limit)), consequence: 'breach' })),
    ),
  fc
    .oneof(anyMaximumLoss, anyDailyLoss)
    .map((floor) =>
      (['breach', 'allowed'] as const).map((touch) => withFloor(floor, { touch, consequence: 'breach' })),
    ),
  fc
    .tuple(fc.oneof(anyMaximumLoss, anyDailyLoss), fc.constantFrom('equity' as const, 'balance' as const))
    .map(([rule, other]) =>
      (['lower', other] as const).map((measures) => withFloor(rule, { measures, consequence: 'breach' })),
    ),
  fc
    .tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 }), fc.constantFrom('calendar', 'traded', null))
    .map(([one, more, counts]) =>
      [one, one + more].map((days) => (counts ? maximumDays({ days, counts }) : inactivity({ days }))),
    ),
)

/** Each property in so many random runs. */
export function rulesHold(numRuns: number): void {
  const RUNS = { numRuns, seed: randomSeed() }

  it('any order and any duplicates give the same lines', () => {
    fc.assert(
      fc.property(anyStage, anyObservations, fc.nat(), (stage, observations, seed) => {
        const rules = rulesOfStage(stage)
        const other = shuffled(observations, seed)
        const twice = [...other, ...other.filter((_, index) => index % 3 === 0)]
        expectSame(run(rules, parsed(twice)).lines, run(rules, parsed(observations)).lines)
      }),
      RUNS,
    )
  })

  it('states that were stored as JSON continue with the same lines', () => {
    const anySplits = fc.array(fc.nat(36), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(anyStage, anyObservations, anySplits, (stage, observations, splits) => {
        const ordered = parsed(observations)
        const whole = run(rulesOfStage(stage), ordered)
        const ends = [...splits.toSorted((one, other) => one - other), ordered.length]
        let [begin, lines, state] = [0, whole.lines.slice(0, 0), startOf(rulesOfStage(stage))]
        for (const end of ends) {
          const stored: State = JSON.parse(JSON.stringify(state))
          const part = run(rulesOfStage(stage), ordered.slice(begin, end), stored)
          lines = [...lines, ...part.lines]
          state = part.state
          begin = Math.max(begin, end)
        }
        expectSame(lines, whole.lines)
        expectSame(state, whole.state)
      }),
      RUNS,
    )
  })

  it('a floor that follows never falls but by a payout', () => {
    fc.assert(
      fc.property(anyMaximumLoss, anyPayouts, anyObservations, (rule, terms, observations) => {
        const ordered = parsed(observations)
        const { lines } = run(rulesOfStage({ rules: [rule], payouts: terms }), ordered)
        for (const [index, line] of lines.entries()) {
          const before = lines[index - 1]
          if (before && ordered[index]?.kind !== 'payout')
            expect(Number(line.rules[0]?.floor)).toBeGreaterThanOrEqual(Number(before.rules[0]?.floor))
        }
      }),
      RUNS,
    )
  })

  it('a stricter parameter never breaches later', () => {
    fc.assert(
      fc.property(anyStrictness, anyObservations, (rules, observations) => {
        const [strict = 0, lenient = 0] = rules.map((rule) => {
          const { lines } = run(rulesOfStage({ rules: [rule] }), parsed(observations))
          const index = lines.findIndex(({ status }) => status === 'breached')
          return index < 0 ? Infinity : index
        })
        expect(strict).toBeLessThanOrEqual(lenient)
      }),
      RUNS,
    )
  })

  it('what trader and firm receive is what leaves the account', () => {
    fc.assert(
      fc.property(
        anyPayouts,
        fc.integer({ min: -500_000, max: 5_000_000 }),
        fc.nat(6_000_000),
        fc.nat(5),
        (terms, profit, gross, paid) => {
          const { trader, firm, kept } = sharesOf(terms, { ...nothingPaidOut, payouts: paid }, profit, gross)
          expect(trader + firm).toBe(gross)
          expect(Math.min(trader, firm, kept)).toBeGreaterThanOrEqual(0)
        },
      ),
      RUNS,
    )
  })

  it('an observation of a quality below reported changes nothing that follows', () => {
    fc.assert(
      fc.property(anyStage, anyObservations, (stage, observations) => {
        const ordered = parsed(observations)
        const isReported = ordered.map((one) => !('quality' in one) || one.quality === 'reported')
        const { lines } = run(rulesOfStage(stage), ordered)
        const alone = run(
          rulesOfStage(stage),
          ordered.filter((_, index) => isReported[index]),
        )
        // Lines have other numbers once some are left out.
        const numberless = (all: typeof lines) =>
          all.map(({ cause, ...line }) => ({ ...line, cause: cause && { ...cause, observation: 0 } }))
        expectSame(numberless(lines.filter((_, index) => isReported[index])), numberless(alone.lines))
      }),
      RUNS,
    )
  })

  it('a payout of what is available breaches no floor that stays or locks', () => {
    fc.assert(
      fc.property(anyMaximumLoss, anyPayouts, anyObservations, (rule, terms, observations) => {
        const rules = rulesOfStage({ rules: [breaching(rule)], payouts: terms })
        const ordered = parsed(observations)
        const { state, lines } = run(rules, ordered)
        const [last, line] = [ordered.at(-1), lines.at(-1)]
        if (!last || !line?.payout || line.payout.available === '0.00') return
        const at = new Date(last.at.ms + 1_000).toISOString()
        const [paid] = run(rules, parsed([{ at, kind: 'payout', amount: line.payout.available }]), state).lines
        if (terms.floor === 'restarts' || terms.floor === 'falls') return
        if (rule.kind === 'maximum-loss' && rule.checked === 'every-change') expect(paid?.rules[0]?.state).toBe('kept')
      }),
      RUNS,
    )
  })
}

function breaching(rule: RuleTerms): RuleTerms {
  return 'consequence' in rule ? { ...rule, consequence: 'breach' } : rule
}

type Floor = Extract<RuleTerms, { kind: 'maximum-loss' | 'daily-loss' }>
type FloorChange = Partial<Pick<Floor, 'measures' | 'touch' | 'consequence'>> & { limit?: ReturnType<typeof percent> }

/** Without a lock: a stricter limit can lock later. */
function withFloor(rule: RuleTerms, change: FloorChange): RuleTerms {
  if (rule.kind === 'maximum-loss') return { ...rule, locksAbove: null, ...change }
  return rule.kind === 'daily-loss' ? { ...rule, ...change } : rule
}
