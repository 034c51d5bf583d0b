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
  /** Days with a result, without the present one. */
  readonly past: number
  readonly traded: readonly number[]
}

/** "The present day counts with its values so far." (rules.md) */
export const minimumDays = defineGoal(schema, (terms, size): Goal<State> => {
  const { counts } = terms
  const start: State = { kind: 'minimum-days', past: 0, traded: [] }
  const atLeast = counts.what === 'profit' || counts.what === 'result' ? up(valueOf(counts.atLeast, size)) : 0

  /** "Change of balance, or of equity, in the day; `result` counts a loss of that size too." */
  const today = (account: Account): number => {
    if (counts.what !== 'profit' && counts.what !== 'result') return 0
    const from = terms.since === 'stage' ? account.dayStart : account.cycle.dayStart
    const change = counts.of === 'closed' ? account.balance - from.balance : account.equity - from.equity
    return (counts.what === 'result' ? Math.abs(change) : change) >= atLeast ? 1 : 0
  }

  const counted = ({ past, traded }: State, account: Account): number => {
    switch (counts.what) {
      case 'calendar':
        return account.today - (terms.since === 'stage' ? account.openedOn : account.cycle.startedOn) + 1
      case 'traded':
        return traded.length
      case 'profit':
      case 'result':
        return past + today(account)
    }
  }

  return {
    role: 'goal',
    start,
    observe(state, account, _, trade) {
      if (counts.what !== 'traded' || !trade) return state
      const traded = withTradedDay(state.traded, trade, account, { day: counts.day, since: terms.since })
      return traded === state.traded ? state : { ...state, traded }
    },
    // "With `last-payout` only what follows the payout counts; the rest of its day is a day."
    pay: (state) => (terms.since === 'last-payout' ? start : state),
    endDay: (state, account) => (today(account) === 0 ? state : { ...state, past: state.past + 1 }),
    effect: null,
    show(state, account) {
      const days = counted(state, account)
      return { days, state: days >= terms.days ? 'met' : 'open' }
    },
  }
})
