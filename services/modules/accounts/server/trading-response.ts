import { toDecimal } from '#services/money/money.ts'
import { dateOf } from '#services/rules/trading-day.ts'
import type { AccountHistory } from '../account-api.ts'
import { periods } from '../account-vocabulary.ts'
import type { TradingFigures } from '../standing-api.ts'
import { type DayResult, daysOf, figuresSince, type Step } from '../trading-results.ts'

const DAY = 86_400_000

/** What was traded each day, and the figures of each period until now. */
export function tradingResponse(steps: readonly Step[], now: number): Pick<AccountHistory, 'days' | 'periods'> {
  const figures = (days: number | null) => figuresResponse(steps, days === null ? -Infinity : now - days * DAY)
  return {
    days: daysOf(steps).map(({ day, closing, result }) => ({
      date: dateOf(day),
      closing: toDecimal(closing),
      result: toDecimal(result),
    })),
    periods: {
      '7d': figures(periods['7d']),
      '30d': figures(periods['30d']),
      '90d': figures(periods['90d']),
      all: figures(periods.all),
    },
  }
}

function figuresResponse(steps: readonly Step[], from: number): TradingFigures {
  const { result, best, worst, winningDays, losingDays, deepestFall } = figuresSince(steps, from)
  return {
    result: toDecimal(result),
    best: best && dayResponse(best),
    worst: worst && dayResponse(worst),
    winningDays,
    losingDays,
    deepestFall: toDecimal(deepestFall),
  }
}

function dayResponse({ day, result }: DayResult) {
  return { date: dateOf(day), result: toDecimal(result) }
}
