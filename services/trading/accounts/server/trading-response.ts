import { isoTime } from '#services/framework/event-description.ts'
import { ruleInWords } from '#services/rules/terms-in-words.ts'
import { toDecimal } from '#services/rules/money.ts'
import { dateOf } from '#services/rules/day-terms.ts'
import type { AccountHistory } from '../account-api.ts'
import { periods } from '#services/trading/stream/account-vocabulary.ts'
import type { BalanceChangeDocument } from '../balance-read-model.ts'
import { stageTermsOf } from '#services/trading/stream/programme-stage.ts'
import { rulesOfStage } from '#services/trading/stream/stage.ts'
import type { CalendarDay, TradingFigures } from '../standing-api.ts'
import type { RecordedDay, TradingRecord } from '../trading-record.ts'
import {
  balanceSteps,
  type DayResult,
  dayInUtc,
  daysOf,
  figuresSince,
  resultOf,
  type Step,
} from '#services/trading/stream/trading-results.ts'
import { balanceCurve, type PeriodCurve, periodCurve, type Point, type TradedPoint } from './balance-curve.ts'
import type { StageFound } from './stages.ts'
import { tradingRecordOf } from './trading-records.ts'

const DAY = 86_400_000

type TradingHistory = Pick<AccountHistory, 'points' | 'days' | 'periods' | 'calendar'>

/**
 * Returns the trading of an account without a programme: by the changes of its balance, oldest first, in days of UTC.
 */
export function tradingByBalance(changes: readonly BalanceChangeDocument[], now: number): TradingHistory {
  const steps = balanceSteps(changes)
  const traded = tradedAt(steps)
  const points = balanceCurve(changes.filter(({ beginsPhase }) => !beginsPhase)).map((point) => ({
    ...point,
    traded: traded(point.number),
  }))
  return {
    points: points.map(pointResponse),
    days: daysOf(steps).map(dayResponse),
    periods: periodsResponse({ points, steps }, now, dayInUtc),
    calendar: null,
  }
}

/** Returns a function for the result traded up to an event. Call it in the order of the log. */
function tradedAt(steps: readonly Step[]): (number: number) => number {
  let [traded, next] = [0, 0]
  return (number) => {
    for (let step = steps[next]; step && step.number <= number; step = steps[next]) {
      traded += resultOf(step)
      next += 1
    }
    return traded
  }
}

/**
 * Returns the trading of an account under a programme: by the instants of its observations, in the programme's days.
 */
export function tradingByProgramme(accountId: string, found: StageFound, now: number): TradingHistory {
  const record = tradingRecordOf(accountId, found, now)
  const { points, answer } = drawn.get(record) ?? drawnFrom(found, record)
  drawn.set(record, { points, answer })
  const tradingDays = rulesOfStage(found.stage).days
  const periods = periodsResponse({ points, steps: record.steps }, now, (at) => tradingDays.dayOf(at))
  return { ...answer, periods }
}

/** A curve, and the part of the answer that does not depend on the time of the read. */
interface Drawn {
  readonly points: readonly TradedPoint[]
  readonly answer: Omit<TradingHistory, 'periods'>
}

/** Drawing a year of trades takes some ten milliseconds, and most reads find nothing newer. */
const drawn = new WeakMap<TradingRecord, Drawn>()

function drawnFrom(found: StageFound, { steps, days }: TradingRecord): Drawn {
  const { stage, begunAt, events } = found
  const { days: tradingDays, size } = rulesOfStage(stage)
  // The account size before the first observation, which may be older than the enrolment. Nothing observed is no curve.
  const opening = steps.slice(0, 1).map(({ at }): Point => {
    const from = Math.min(begunAt, tradingDays.startOf(tradingDays.dayOf(at)))
    return { at: from, number: events.terms, balance: size, profitLoss: 0 }
  })
  const points = balanceCurve([...opening, ...pointsOf(steps)]).map((point) => ({ ...point, traded: point.profitLoss }))
  return {
    points,
    answer: {
      points: points.map(pointResponse),
      days: days.map(dayResponse),
      calendar: {
        zone: stage.terms.day.zone,
        startsAt: stage.terms.day.startsAt,
        days: days.map((day) => calendarResponse(found, day)),
      },
    },
  }
}

/** The balance after each step. */
function pointsOf(steps: readonly Step[]): Point[] {
  let traded = 0
  return steps.map((step) => {
    traded += resultOf(step)
    return { at: step.at, number: step.number, balance: step.balance, profitLoss: traded }
  })
}

function pointResponse({ at, number, balance, profitLoss, traded }: TradedPoint): AccountHistory['points'][number] {
  const [money, profit] = [toDecimal(balance), toDecimal(profitLoss)]
  return { at: isoTime(at), number, balance: money, profitLoss: profit, traded: toDecimal(traded) }
}

function calendarResponse({ stage }: StageFound, day: RecordedDay): CalendarDay {
  const { days, size } = rulesOfStage(stage)
  const terms = stageTermsOf(stage.terms, stage.index)
  return {
    ...dayResponse(day),
    startsAt: isoTime(days.startOf(day.day)),
    endsAt: isoTime(days.startOf(day.day + 1)),
    counts: day.counts,
    trades: day.trades,
    limits: day.hits.flatMap(({ rule, state, event }) => {
      const hit = terms.rules[rule]
      return hit ? { kind: hit.kind, title: ruleInWords(hit, size, terms).title, state, event } : []
    }),
    event: day.event,
  }
}

/** The figures and curves of periods follow from this. */
interface Traded {
  readonly points: readonly TradedPoint[]
  readonly steps: readonly Step[]
}

function periodsResponse(traded: Traded, now: number, dayOf: (at: number) => number) {
  const figures = (days: number | null) => figuresResponse(traded, days === null ? -Infinity : now - days * DAY, dayOf)
  return {
    '7d': figures(periods['7d']),
    '30d': figures(periods['30d']),
    '90d': figures(periods['90d']),
    all: figures(periods.all),
  }
}

function figuresResponse({ points, steps }: Traded, from: number, dayOf: (at: number) => number): TradingFigures {
  const { result, best, worst, winningDays, losingDays, deepestFall } = figuresSince(steps, from, dayOf)
  return {
    result: toDecimal(result),
    best: best && resultResponse(best),
    worst: worst && resultResponse(worst),
    winningDays,
    losingDays,
    deepestFall: toDecimal(deepestFall),
    curve: curveResponse(periodCurve(points, steps, from)),
  }
}

function curveResponse(curve: PeriodCurve | undefined): TradingFigures['curve'] {
  if (!curve) return null
  const { from, balance, index, traded, movedOtherwise } = curve
  return { from: isoTime(from), balance: toDecimal(balance), index, traded: traded.map(toDecimal), movedOtherwise }
}

function dayResponse(day: DayResult) {
  return { ...resultResponse(day), closing: toDecimal(day.closing) }
}

function resultResponse({ day, result }: DayResult) {
  return { date: dateOf(day), result: toDecimal(result) }
}
