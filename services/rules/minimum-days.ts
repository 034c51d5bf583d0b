import { z } from 'zod'
import { amount, oneOf, positiveCount, valueOf } from './amount.ts'
import { withTradedDay } from './counted-days.ts'
import { up } from './exact.ts'
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
}

/** "The present day counts with its values so far." (rules.md) */
export const minimumDays = defineGoal(schema, (terms, size, decided): Goal<State> => {
  const { counts } = terms
  const start: State = { kind: 'minimum-days', days: [] }
  const atLeast = counts.what === 'profit' || counts.what === 'result' ? up(valueOf(counts.atLeast, size)) : 0

  /** "Change of balance, or of equity, in the day; `result` counts a loss of that size too." */
  const countsToday = (account: Account): boolean => {
    if (counts.what !== 'profit' && counts.what !== 'result') return false
    const from = terms.since === 'stage' ? account.dayStart : account.cycle.dayStart
    const change = counts.of === 'closed' ? account.balance - from.balance : account.equity - from.equity
    return (counts.what === 'result' ? Math.abs(change) : change) >= atLeast
  }

  const firstDay = ({ openedOn, cycle }: Account): number => (terms.since === 'stage' ? openedOn : cycle.startedOn)

  const counted = ({ days }: State, account: Account): number =>
    counts.what === 'calendar' ? account.today - firstDay(account) + 1 : days.length + (countsToday(account) ? 1 : 0)

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
    endDay: (state, account) => (countsToday(account) ? { ...state, days: [...state.days, account.today] } : state),
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
