import { z } from 'zod'
import { amount, oneOf, valueOf } from './amount.ts'
import { added, compare, decimal, exactly, minus, up } from './exact.ts'
import { defineGoal, type Goal } from './rule.ts'

const schema = z.strictObject({
  kind: z.literal('profit-target'),
  target: amount,
  measures: oneOf('balance', 'equity'),
  whileOpen: z.boolean('expected true or false'),
})

interface State {
  readonly kind: 'profit-target'
}

/** "Met when the profit is at least the target; `whileOpen: false` counts only while nothing is open." (rules.md) */
export const profitTarget = defineGoal(schema, (terms, size, { decided }): Goal<State> => {
  const target = valueOf(terms.target, size)
  const fewest = up(target)
  const start: State = { kind: 'profit-target' }
  return {
    role: 'goal',
    start,
    observe: (state) => state,
    pay: (state) => state,
    endDay: (state) => state,
    exclude: null,
    effect: null,
    countedDays: null,
    show(_, account, { needed, excluded }) {
      const profit = minus(
        exactly((terms.measures === 'balance' ? account.balance : account.equity) - account.base),
        excluded,
      )
      const required = needed > fewest ? needed : fewest
      const missing = added(required, -profit.cents)
      const isReached = missing <= 0 && compare(profit, target) >= 0 && (terms.whileOpen || !account.open)
      return {
        // "What is excluded raises it."
        target: decimal(added(required, account.base + (decided.showsTargetsWithoutExcluded ? 0 : up(excluded)))),
        missing: decimal(missing < 0 ? 0 : missing),
        state: isReached ? 'met' : 'open',
      }
    },
  }
})
