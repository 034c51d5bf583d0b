import { z } from 'zod'
import { oneOf, percentage } from './amount.ts'
import {
  decimal,
  exactly,
  type Exact,
  isWithin,
  minus,
  part,
  percentOf,
  plus,
  shareShown,
  up,
  wholeOf,
} from './exact.ts'
import { type Account, defineGoal, type Goal, since } from './rule.ts'

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
  readonly best: number
  /** The sum of the profitable days that have ended. */
  readonly profitable: number
  /** Where the excess of each is excluded: the profits of ended days, or of trades, largest first. */
  readonly profits: readonly number[]
}

/** "The best day's (or trade's) part of the profit may be at most `share` percent; exactly that is met." (rules.md) */
export const consistency = defineGoal(schema, (terms): Goal<State> => {
  const share = percentOf(terms.share)
  const excludes = terms.effect === 'excludes-excess'
  const start: State = { kind: 'consistency', best: 0, profitable: 0, profits: [] }

  const today = (account: Account): number =>
    account.balance - (terms.since === 'stage' ? account.dayStart : account.cycle.dayStart).balance

  const profitOf = ({ profitable }: State, account: Account): number =>
    terms.profit === 'net'
      ? account.balance - (terms.since === 'stage' ? account.base : account.cycle.base)
      : profitable + Math.max(today(account), 0)

  const bestOf = ({ best }: State, account: Account): number =>
    terms.unit === 'day' ? Math.max(best, today(account)) : best

  const withUnit = (state: State, profit: number): State =>
    profit <= 0
      ? state
      : {
          ...state,
          best: Math.max(state.best, profit),
          profits: excludes ? inserted(state.profits, profit) : state.profits,
        }

  /** "What each day or trade has above the share lowers the profit that counts for targets and payouts." */
  const excluded = (state: State, account: Account): Exact => {
    const profit = profitOf(state, account)
    if (!excludes || profit <= 0) return exactly(0)
    const most = part(share, profit)
    const units = terms.unit === 'day' ? [today(account), ...state.profits] : state.profits
    let sum = exactly(0)
    for (const [index, unit] of units.entries()) {
      const excess = minus(exactly(unit), most)
      if (excess.cents >= 0) sum = plus(sum, excess)
      else if (index > 0) break
    }
    return sum
  }

  return {
    role: 'goal',
    start,
    observe: (state, _account, _observed, traded) =>
      terms.unit === 'trade' ? withUnit(state, traded?.profit ?? 0) : state,
    pay: (state) => (terms.since === 'last-payout' ? start : state),
    endDay(state, account) {
      const change = today(account)
      if (change <= 0) return state
      const ended = terms.unit === 'day' ? withUnit(state, change) : state
      return { ...ended, profitable: state.profitable + change }
    },
    effect(state, account) {
      if (profitOf(state, account) <= 0) return null
      switch (terms.effect) {
        case 'withholds':
          return null
        case 'raises-target':
          return { needed: wholeOf(share, bestOf(state, account)) }
        case 'excludes-excess':
          return { excluded: excluded(state, account) }
      }
    },
    show(state, account) {
      const [best, profit] = [bestOf(state, account), profitOf(state, account)]
      const figures = {
        best,
        profit,
        share: profit > 0 ? shareShown(best, profit) : null,
        needed: decimal(wholeOf(share, best)),
        ...(excludes && { excluded: up(excluded(state, account)) }),
      }
      // "Without profit it is `not-applicable` and holds nothing back."
      if (profit <= 0) return { ...figures, state: 'not-applicable' }
      return { ...figures, state: excludes || isWithin(share, best, profit) ? 'met' : 'open' }
    },
  }
})

/** The profits, largest first, with one more. */
function inserted(profits: readonly number[], profit: number): readonly number[] {
  let [low, high] = [0, profits.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((profits[middle] ?? 0) >= profit) low = middle + 1
    else high = middle
  }
  return profits.toSpliced(low, 0, profit)
}
