import { z } from 'zod'
import { amountOf, oneOf, valueFor, valueOf } from './amount.ts'
import { type Exact, exactly, minus } from './exact.ts'
import { checkFloors, isWholeDay, shownRoom } from './floor.ts'
import { type Account, checked, consequence, defineLimit, type Limit, measured, measures, touch } from './rule.ts'

const references = ['day-start-balance', 'day-start-equity', 'day-start-higher', 'day-high-equity'] as const
type Reference = (typeof references)[number]

const schema = z.strictObject({
  kind: z.literal('daily-loss'),
  limit: amountOf('account-size', ...references),
  from: oneOf(...references),
  measures,
  checked,
  touch,
  consequence,
})

interface State {
  readonly kind: 'daily-loss'
}

/** "floor = `from` − limit." (rules.md) The values of the day are the account's: the rule itself keeps nothing. */
export const dailyLoss = defineLimit(schema, (terms, size): Limit<State> => {
  const { limit } = terms
  const of = 'percent' in limit && limit.of !== 'account-size' ? limit.of : null
  const fixedLimit = of ? null : valueOf(limit, size)
  const limitOf = valueFor(limit)

  const floorOf = (account: Account, dayHighEquity: number): Exact =>
    minus(
      exactly(reference(terms.from, account, dayHighEquity)),
      fixedLimit ?? limitOf(of ? reference(of, account, dayHighEquity) : size),
    )
  const start: State = { kind: 'daily-loss' }

  return {
    role: 'limit',
    consequence: terms.consequence,
    start,
    observe: (state) => state,
    pay: (state) => state,
    endDay(state, account) {
      if (terms.checked !== 'day-close') return { state, fall: null }
      const floor = floorOf(account, account.dayHighEquity)
      const { balance, equity } = account
      const fall = checkFloors(terms, floor, floor, { balance, equity, lowestEquity: equity, highestEquity: equity })
      return { state, fall: fall === 'undetermined' ? null : fall }
    },
    check(_, account, observed) {
      if (terms.checked !== 'every-change') return null
      const after = floorOf(account, account.dayHighEquity)
      const before = isWholeDay(observed) ? floorOf(account, account.dayStart.equity) : after
      return checkFloors(terms, before, after, observed)
    },
    payoutFloor: () => null,
    show(_, account, values) {
      const floor = { exact: floorOf(account, account.dayHighEquity), touch: terms.touch }
      return { floor, room: shownRoom(floor, measured(terms.measures, values)) }
    },
  }
})

function reference(of: Reference, { dayStart }: Account, dayHighEquity: number): number {
  switch (of) {
    case 'day-start-balance':
      return dayStart.balance
    case 'day-start-equity':
      return dayStart.equity
    case 'day-start-higher':
      return Math.max(dayStart.balance, dayStart.equity)
    case 'day-high-equity':
      return dayHighEquity
  }
}
