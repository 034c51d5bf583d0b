import { z } from 'zod'
import { positiveCount } from './amount.ts'
import { consequence, defineLimit, type Limit } from './rule.ts'

const schema = z.strictObject({ kind: z.literal('inactivity'), days: positiveCount, consequence })

interface State {
  readonly kind: 'inactivity'
  /** Days in a row that ended without a trade. */
  readonly idle: number
  readonly tradedToday: boolean
}

/** "Acts when the `days`-th trading day in a row without a trade has ended." (rules.md) */
export const inactivity = defineLimit(schema, (terms): Limit<State> => {
  const start: State = { kind: 'inactivity', idle: 0, tradedToday: false }
  return {
    role: 'limit',
    consequence: terms.consequence,
    start,
    observe: (state, _account, _observed, traded) =>
      traded && !state.tradedToday ? { kind: 'inactivity', idle: 0, tradedToday: true } : state,
    pay: (state) => state,
    endDay(state) {
      const idle = state.tradedToday ? 0 : state.idle + 1
      return {
        state: { kind: 'inactivity', idle, tradedToday: false },
        fall: idle >= terms.days ? { floor: null, measured: null } : null,
      }
    },
    check: () => null,
    payoutFloor: () => null,
    show: ({ idle }) => ({ days: idle }),
  }
})
