import { z } from 'zod'
import { amount, amountOf, oneOf, valueFor, valueOf } from './amount.ts'
import { compare, type Exact, exactly, minus, plus } from './exact.ts'
import { checkFloors, shownRoom } from './floor.ts'
import {
  type Account,
  checked,
  consequence,
  defineLimit,
  type Limit,
  type FloorAfterPayout,
  measured,
  measures,
  touch,
  type Values,
} from './rule.ts'

const schema = z
  .strictObject({
    kind: z.literal('maximum-loss'),
    limit: amountOf('account-size', 'high'),
    follows: z
      .strictObject({ value: oneOf('balance', 'equity', 'higher'), at: oneOf('every-change', 'day-close') })
      .nullable(),
    locksAbove: amount.nullable(),
    measures,
    checked,
    touch,
    consequence,
  })
  .refine(({ limit, follows }) => follows || !('percent' in limit) || limit.of !== 'high', {
    path: ['limit'],
    error: 'expected "of": "account-size", since the floor follows nothing',
  })

/** The highest value followed so far, and where the floor stopped for good. */
interface Height {
  readonly high: number
  readonly lockedAt: Exact | null
}

interface State extends Height {
  readonly kind: 'maximum-loss'
  /** As it held before the day. */
  readonly before: Height
}

/**
 * "`null` (static: floor = account size − limit), or …: floor = highest value followed so far (at first the account
 * size) − limit. It never falls, but by `payouts.floor`." (rules.md)
 */
export const maximumLoss = defineLimit(schema, (terms, size, { decided }): Limit<State> => {
  const { follows } = terms
  const ofHigh = 'percent' in terms.limit && terms.limit.of === 'high'
  const fixedLimit = ofHigh ? null : valueOf(terms.limit, size)
  const limitOf = valueFor(terms.limit)
  // "The amount above the account size at which the floor stops for good."
  const lock = terms.locksAbove && follows ? plus(exactly(size), valueOf(terms.locksAbove, size)) : null

  const floorOf = ({ high, lockedAt }: Height): Exact => lockedAt ?? minus(exactly(high), fixedLimit ?? limitOf(high))

  const raisedTo = (height: Height, value: number): Height => {
    if (height.lockedAt) return height
    const raised = value > height.high ? { high: value, lockedAt: null } : height
    return lock && compare(floorOf(raised), lock) >= 0 ? { high: raised.high, lockedAt: lock } : raised
  }

  const followed = ({ balance, equity }: Values): number => {
    switch (follows?.value) {
      case undefined:
        return size
      case 'balance':
        return balance
      case 'equity':
        return equity
      case 'higher':
        return Math.max(balance, equity)
    }
  }

  const afterPayout = (height: Height, { balance }: Values, paid: number, floor: FloorAfterPayout): Height => {
    if (!follows || (height.lockedAt && floor !== 'restarts')) return height
    switch (floor) {
      case 'stays':
        return height
      case 'falls':
        return { ...height, high: height.high - paid }
      case 'locks':
        return { ...height, lockedAt: exactly(size) }
      case 'restarts':
        // It locks again at once where it is high enough.
        return raisedTo({ high: balance, lockedAt: null }, balance)
    }
  }

  const first = raisedTo({ high: size, lockedAt: null }, size)
  const start: State = { kind: 'maximum-loss', ...first, before: first }

  const startDay = ({ high, lockedAt }: Height): State => ({
    kind: 'maximum-loss',
    high,
    lockedAt,
    before: { high, lockedAt },
  })

  return {
    role: 'limit',
    consequence: terms.consequence,
    start,
    observe(state, _, { balance, highestEquity }) {
      if (follows?.at !== 'every-change') return state
      const raised = raisedTo(state, followed({ balance, equity: highestEquity }))
      return raised === state ? state : { kind: 'maximum-loss', ...raised, before: state.before }
    },
    pay: (state, account, paid, floor) => ({
      kind: 'maximum-loss',
      ...onlyHeight(afterPayout(state, account, paid, floor)),
      before: onlyHeight(afterPayout(state.before, account, paid, floor)),
    }),
    endDay(state, account) {
      const raised = follows?.at === 'day-close' ? raisedTo(state, followed(account)) : state
      const fall =
        terms.checked === 'day-close' ? checkFloors(terms, floorOf(raised), floorOf(raised), moment(account)) : null
      return {
        state: raised === state && sameHeight(state, state.before) ? state : startDay(raised),
        fall: fall === 'undetermined' ? null : fall,
      }
    },
    check: (state, _, observed) =>
      terms.checked === 'every-change' ? checkFloors(terms, floorOf(state.before), floorOf(state), observed) : null,
    payoutFloor(state, account, floor) {
      const moves = follows && (floor === 'restarts' || (floor === 'falls' && !state.lockedAt))
      // "Of each maximum-loss rule that breaches."
      if (moves || (terms.consequence !== 'breach' && !decided.payoutsKeepFromEveryFloor)) return null
      return {
        floor: { exact: floorOf(afterPayout(state, account, 0, floor)), touch: terms.touch },
        measured: Math.min(account.balance, measured(terms.measures, account)),
      }
    },
    show(state, _, values) {
      const floor = { exact: floorOf(state), touch: terms.touch }
      return { floor, room: shownRoom(floor, measured(terms.measures, values)), locked: state.lockedAt !== null }
    },
  }
})

function onlyHeight({ high, lockedAt }: Height): Height {
  return { high, lockedAt }
}

function sameHeight(one: Height, other: Height): boolean {
  return one.high === other.high && one.lockedAt === other.lockedAt
}

function moment({ balance, equity }: Account) {
  return { balance, equity, lowestEquity: equity, highestEquity: equity }
}
