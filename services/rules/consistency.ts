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
  readonly best: number
  /** The sum of the profitable days that have ended. */
  readonly profitable: number
  /** Where the excess of each is excluded: the profits of ended days, or of trades, largest first. */
  readonly profits: readonly number[]
}

const nothing = exactly(0)

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

  /** "Without profit it is `not-applicable` and holds nothing back." */
  const stateOf = (best: number, profit: number): GoalFigures['state'] => {
    if (profit <= 0) return 'not-applicable'
    return excludes || isWithin(share, best, profit) ? 'met' : 'open'
  }

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
    if (!excludes || profit <= 0) return nothing
    const most = part(share, profit)
    const ofToday = terms.unit === 'day' ? minus(exactly(today(account)), most) : nothing
    let sum = ofToday.cents >= 0 ? ofToday : nothing
    for (const unit of state.profits) {
      const excess = minus(exactly(unit), most)
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
          needed: profitOf(state, account) > 0 ? wholeOf(share, bestOf(state, account)) : 0,
          excluded: nothing,
        })
      case 'excludes-excess':
        return (state, account) => ({ needed: 0, excluded: excluded(state, account) })
    }
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
    effect: effectOf(terms.effect),
    countedDays: null,
    show(state, account) {
      const [best, profit] = [bestOf(state, account), profitOf(state, account)]
      return {
        best,
        profit,
        share: profit > 0 ? shareShown(best, profit) : null,
        needed: decimal(wholeOf(share, best)),
        excluded: excludes ? up(excluded(state, account)) : undefined,
        state: stateOf(best, profit),
      }
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
