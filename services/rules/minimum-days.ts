import { z } from 'zod'
import { amount, oneOf, positiveCount, valueOf } from './amount.ts'
import { withTradedDay } from './counted-days.ts'
import { compare, type Exact, exactly, minus, up } from './exact.ts'
import { type Account, defineGoal, type Goal, since } from './rule.ts'

const result = { atLeast: amount, of: oneOf('closed', 'equity') }

const schema = z.strictObject({
  kind: z.literal('minimum-days'),
  days: positiveCount,
  counts: z.discriminatedUnion(
    'what',
    [
      z.strictObject({ what: z.literal('calendar') }),
      z.strictObject({ what: z.literal('traded'), day: oneOf('opened', 'closed') }),
      z.strictObject({ what: z.literal('profit'), ...result }),
      z.strictObject({ what: z.literal('result'), ...result }),
    ],
    { error: 'expected "what" to be "calendar", "traded", "profit" or "result"' },
  ),
  since,
})

interface State {
  readonly kind: 'minimum-days'
  /** The numbers of the days with a trade, or of those with a result, without the present one. */
  readonly days: readonly number[]
  /** Where profit may be excluded later: the days that have ended, with what was made on them. */
  readonly ended: readonly EndedDay[]
}

interface EndedDay {
  readonly day: number
  readonly change: Exact
}

/** "The present day counts with its values so far." (rules.md) */
export const minimumDays = defineGoal(schema, (terms, size, { decided, excludesProfit }): Goal<State> => {
  const { counts } = terms
  const start: State = { kind: 'minimum-days', days: [], ended: [] }
  const atLeast = counts.what === 'profit' || counts.what === 'result' ? up(valueOf(counts.atLeast, size)) : 0

  const countsResults = counts.what === 'profit' || counts.what === 'result'

  /** "Change of balance, or of equity, in the day", without the profit that is excluded. */
  const changeToday = (account: Account): Exact => {
    const { dayStart, excludedToday } = terms.since === 'stage' ? account : account.cycle
    const isClosed = countsResults && counts.of === 'closed'
    const change = isClosed ? account.balance - dayStart.balance : account.equity - dayStart.equity
    return minus(exactly(change), excludedToday)
  }

  /** "`result` counts a loss of that size too." */
  const isEnough = (change: Exact): boolean =>
    compare(change, exactly(atLeast)) >= 0 || (counts.what === 'result' && compare(change, exactly(-atLeast)) <= 0)

  const countsToday = (account: Account): boolean => countsResults && isEnough(changeToday(account))

  const firstDay = ({ openedOn, cycle }: Account): number => (terms.since === 'stage' ? openedOn : cycle.startedOn)

  const counted = ({ days }: State, account: Account): number =>
    counts.what === 'calendar' ? account.today - firstDay(account) + 1 : days.length + (countsToday(account) ? 1 : 0)

  const withCounted = (state: State, day: number, change: Exact): State =>
    isEnough(change) ? { ...state, days: [...state.days, day] } : state

  return {
    role: 'goal',
    start,
    observe(state, account, _, trade) {
      if (counts.what !== 'traded' || !trade) return state
      const from = decided.countsOpenedFromFirstObservation ? account.openedOn : null
      const days = withTradedDay(state.days, trade, account, { day: counts.day, since: terms.since, from })
      return days === state.days ? state : { ...state, days }
    },
    // "With `last-payout` only what follows the payout counts; the rest of its day is a day."
    pay: (state) => (terms.since === 'last-payout' ? start : state),
    endDay(state, account) {
      if (!countsResults) return state
      const change = changeToday(account)
      if (excludesProfit)
        return { ...withCounted(state, account.today, change), ended: [...state.ended, { day: account.today, change }] }
      return withCounted(state, account.today, change)
    },
    exclude: countsResults
      ? (state, _account, { trade: { day }, more }) => {
          const ended = state.ended.map((one) => (one.day === day ? { day, change: minus(one.change, more) } : one))
          return { ...state, ended, days: ended.filter(({ change }) => isEnough(change)).map((one) => one.day) }
        }
      : null,
    effect: null,
    countedDays(state, account) {
      if (counts.what === 'calendar')
        return Array.from({ length: counted(state, account) }, (_, day) => firstDay(account) + day)
      return countsToday(account) ? [...state.days, account.today] : state.days
    },
    show(state, account) {
      const days = counted(state, account)
      return { days, state: days >= terms.days ? 'met' : 'open' }
    },
  }
})
