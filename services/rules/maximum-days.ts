import { z } from 'zod'
import { oneOf, positiveCount } from './amount.ts'
import { withTradedDay } from './counted-days.ts'
import { type Account, consequence, defineLimit, type Limit } from './rule.ts'

const schema = z.strictObject({
  kind: z.literal('maximum-days'),
  days: positiveCount,
  counts: oneOf('calendar', 'traded'),
  consequence,
})

interface State {
  readonly kind: 'maximum-days'
  readonly traded: readonly number[]
}

/** "Acts when a day begins after `days` counted ones." (rules.md) */
export const maximumDays = defineLimit(schema, (terms): Limit<State> => {
  const start: State = { kind: 'maximum-days', traded: [] }
  const counted = ({ traded }: State, { today, openedOn }: Account): number =>
    terms.counts === 'calendar' ? today - openedOn + 1 : traded.length
  return {
    role: 'limit',
    consequence: terms.consequence,
    start,
    observe(state, account, _, trade) {
      if (!trade || terms.counts === 'calendar') return state
      const traded = withTradedDay(state.traded, trade, account, { day: 'closed', since: 'stage', from: null })
      return traded === state.traded ? state : { ...state, traded }
    },
    pay: (state) => state,
    endDay: (state, account) => ({
      state,
      fall: counted(state, account) >= terms.days ? { floor: null, measured: null } : null,
    }),
    check: () => null,
    payoutFloor: () => null,
    show: (state, account) => ({ days: counted(state, account) }),
  }
})
