import { z } from 'zod'
import { count, oneOf, percentage } from './amount.ts'
import { exactly, type Exact, isNothing, isWithin, minus, nothing, percentOf, plus, shareShown } from './exact.ts'
import { isShorter } from './holding-time.ts'
import { defineGoal, type Goal, type GoalFigures, since } from './rule.ts'

const schema = z.strictObject({
  kind: z.literal('short-trades'),
  /** Seconds. */
  shorterThan: count,
  by: oneOf('profit', 'trades'),
  mostShare: percentage,
  since,
  effect: z.literal('withholds', 'expected "withholds"'),
})

interface State {
  readonly kind: 'short-trades'
  /** Profit, or trades. */
  readonly short: Exact
  readonly all: Exact
  /** What lines show: most observations change nothing of it. */
  readonly figures: GoalFigures
}

/**
 * "Of what it counts, at most `mostShare` percent may come from trades held for less than `shorterThan` seconds; exactly
 * that is met. With nothing to count it is `not-applicable`." (behaviour.md)
 */
export const shortTrades = defineGoal(schema, (terms): Goal<State> => {
  const most = percentOf(terms.mostShare)
  const stateOf = (short: Exact, all: Exact): State => ({
    ...{ kind: 'short-trades', short, all },
    figures: isNothing(all)
      ? { share: null, state: 'not-applicable' }
      : { share: shareShown(short, all), state: isWithin(most, short, all) ? 'met' : 'open' },
  })
  const start = stateOf(nothing, nothing)
  const isShort = (openedAt: { ms: number; ns: number } | null, closedAt: { ms: number; ns: number }): boolean =>
    openedAt !== null && isShorter(openedAt, closedAt, terms.shorterThan)
  return {
    role: 'goal',
    start,
    observe(state, _account, _observed, traded) {
      if (!traded?.trade) return state
      const { trade, left } = traded
      const counted = terms.by === 'trades' ? exactly(1) : left
      if (isNothing(counted) || counted.cents < 0) return state
      const short = isShort(trade.openedAt, trade.closedAt) ? plus(state.short, counted) : state.short
      return stateOf(short, plus(state.all, counted))
    },
    exclude(state, _account, { trade, more }) {
      if (terms.by === 'trades') return state
      const short = isShort(trade.openedAt, trade.closedAt) ? minus(state.short, more) : state.short
      return stateOf(short, minus(state.all, more))
    },
    pay: (state) => (terms.since === 'last-payout' ? start : state),
    endDay: (state) => state,
    effect: null,
    countedDays: null,
    show: ({ figures }) => figures,
  }
})
