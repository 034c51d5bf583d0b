import { z } from 'zod'
import { oneOf, percentage } from './amount.ts'
import {
  compare,
  decimal,
  down,
  exactly,
  type Exact,
  isWithin,
  minus,
  most,
  nothing,
  partOf,
  percentOf,
  plus,
  shareShown,
  up,
  wholeOf,
} from './exact.ts'
import { type Account, defineGoal, type Goal, type GoalFigures, since } from './rule.ts'

const schema = z.strictObject({
  kind: z.literal('consistency'),
  share: percentage.refine((share) => percentOf(share).numerator > 0, 'expected a percentage above "0"'),
  unit: oneOf('day', 'trade'),
  profit: oneOf('net', 'profitable-days'),
  since,
  effect: oneOf('withholds', 'raises-target', 'excludes-excess'),
})

interface State {
  readonly kind: 'consistency'
  /** The best day that has ended, or the best trade. */
  readonly best: Exact
  /** The sum of the profitable days that have ended. */
  readonly profitable: Exact
  /**
   * The profits of ended days, or of trades, largest first: where the excess of each is excluded, or where a profit may
   * be excluded later.
   */
  readonly profits: readonly Exact[]
  /** Where profit may be excluded later: the days that have ended with a profit. */
  readonly ended: readonly EndedDay[]
}

interface EndedDay {
  readonly day: number
  readonly profit: Exact
}

/** "The best day's (or trade's) part of the profit may be at most `share` percent; exactly that is met." (rules.md) */
export const consistency = defineGoal(schema, (terms, _size, { excludesProfit }): Goal<State> => {
  const share = percentOf(terms.share)
  const excludes = terms.effect === 'excludes-excess'
  const start: State = { kind: 'consistency', best: nothing, profitable: nothing, profits: [], ended: [] }

  const today = (account: Account): Exact => {
    const { dayStart, excludedToday } = terms.since === 'stage' ? account : account.cycle
    return minus(exactly(account.balance - dayStart.balance), excludedToday)
  }

  const profitOf = ({ profitable }: State, account: Account): Exact => {
    if (terms.profit === 'profitable-days') return plus(profitable, most(today(account), nothing))
    const { base, excluded } = terms.since === 'stage' ? account : account.cycle
    return minus(exactly(account.balance - base), excluded)
  }

  const bestOf = ({ best }: State, account: Account): Exact =>
    terms.unit === 'day' ? most(best, today(account)) : best

  /** "Without profit it is `not-applicable` and holds nothing back." */
  const stateOf = (best: Exact, profit: Exact): GoalFigures['state'] => {
    if (compare(profit, nothing) <= 0) return 'not-applicable'
    return excludes || isWithin(share, best, profit) ? 'met' : 'open'
  }

  const withUnit = (state: State, profit: Exact): State =>
    compare(profit, nothing) <= 0
      ? state
      : {
          ...state,
          best: most(state.best, profit),
          profits: excludes || excludesProfit ? inserted(state.profits, profit) : state.profits,
        }

  /** "What each day or trade has above the share lowers the profit that counts for targets and payouts." */
  const excluded = (state: State, account: Account): Exact => {
    const profit = profitOf(state, account)
    if (!excludes || compare(profit, nothing) <= 0) return nothing
    const allowed = partOf(share, profit)
    const ofToday = terms.unit === 'day' ? minus(today(account), allowed) : nothing
    let sum = ofToday.cents >= 0 ? ofToday : nothing
    for (const unit of state.profits) {
      const excess = minus(unit, allowed)
      if (excess.cents < 0) break
      sum = plus(sum, excess)
    }
    return sum
  }

  const effectOf = (effect: z.infer<typeof schema>['effect']): Goal<State>['effect'] => {
    switch (effect) {
      case 'withholds':
        return null
      case 'raises-target':
        return (state, account) => ({
          needed: compare(profitOf(state, account), nothing) > 0 ? wholeOf(share, bestOf(state, account)) : 0,
          excluded: nothing,
        })
      case 'excludes-excess':
        return (state, account) => ({ needed: 0, excluded: excluded(state, account) })
    }
  }

  /** With another profit of a day that has ended. */
  const withDay = (state: State, day: number, more: Exact): State => {
    const ended = state.ended.map((one) =>
      one.day === day ? { day, profit: most(minus(one.profit, more), nothing) } : one,
    )
    const profitable = ended.reduce((sum, { profit }) => plus(sum, profit), nothing)
    if (terms.unit === 'trade') return { ...state, ended, profitable }
    const profits = ended.map(({ profit }) => profit).toSorted((one, other) => compare(other, one))
    return { ...state, ended, profitable, profits, best: profits[0] ?? nothing }
  }

  return {
    role: 'goal',
    start,
    observe: (state, _account, _observed, traded) =>
      terms.unit === 'trade' && traded ? withUnit(state, traded.left) : state,
    pay: (state) => (terms.since === 'last-payout' ? start : state),
    endDay(state, account) {
      const change = today(account)
      if (compare(change, nothing) <= 0) return state
      const ended = terms.unit === 'day' ? withUnit(state, change) : state
      return {
        ...ended,
        profitable: plus(state.profitable, change),
        ended: excludesProfit ? [...state.ended, { day: account.today, profit: change }] : state.ended,
      }
    },
    exclude(state, account, { trade: { day }, left, more }) {
      const before = day < account.today ? withDay(state, day, more) : state
      if (terms.unit === 'day') return before
      const profits = inserted(without(state.profits, left), minus(left, more))
      return { ...before, profits, best: profits[0] ?? nothing }
    },
    effect: effectOf(terms.effect),
    countedDays: null,
    show(state, account) {
      const [best, profit] = [bestOf(state, account), profitOf(state, account)]
      return {
        best: down(best),
        profit: down(profit),
        share: compare(profit, nothing) > 0 ? shareShown(best, profit) : null,
        needed: decimal(wholeOf(share, best)),
        excluded: excludes ? up(excluded(state, account)) : undefined,
        state: stateOf(best, profit),
      }
    },
  }
})

/** The profits, largest first, with one more. */
function inserted(profits: readonly Exact[], profit: Exact): readonly Exact[] {
  let [low, high] = [0, profits.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (compare(profits[middle] ?? nothing, profit) >= 0) low = middle + 1
    else high = middle
  }
  return profits.toSpliced(low, 0, profit)
}

/** The profits without one of this size. */
function without(profits: readonly Exact[], profit: Exact): readonly Exact[] {
  const place = profits.findIndex((one) => compare(one, profit) === 0)
  return place < 0 ? profits : profits.toSpliced(place, 1)
}
