import { z } from 'zod'
import { amount, count, oneOf, percentage, positiveCount, valueOf } from './amount.ts'
import { compare, down, type Exact, exactly, least, minus, part, type Percent, percentOf } from './exact.ts'
import type { DecisionRules } from './decision-version.ts'
import { shownFloor } from './floor.ts'
import { type Account, floorAfterPayout, type PayoutFloor } from './rule.ts'

/** Payouts of a funded stage: what is available, what is missing, and who receives what. */

export const payoutTerms = z.strictObject({
  takes: oneOf('request', 'everything', 'firm-share-first'),
  split: percentage,
  splitAfter: z
    .array(z.strictObject({ payouts: positiveCount, split: percentage }), 'expected a list')
    .max(100, 'expected at most 100 entries'),
  firstAfterDays: count,
  firstCountsFrom: oneOf('stage', 'first-trade'),
  everyDays: count,
  minimum: amount,
  minimumOf: oneOf('share', 'profit'),
  cap: amount.nullable(),
  capFor: count.nullable(),
  buffer: amount,
  mostOfProfit: percentage,
  floor: floorAfterPayout,
})
export type PayoutTerms = z.infer<typeof payoutTerms>

/** The terms with their amounts for an account of a size, ready to be applied. */
export interface Payouts {
  readonly terms: PayoutTerms
  readonly minimum: Exact
  readonly cap: Exact | null
  readonly buffer: Exact
  readonly mostOfProfit: Percent
  readonly roundsFloorsUp: boolean
}

export function payoutsOf(terms: PayoutTerms, size: number, { roundsFloorsUp }: DecisionRules): Payouts {
  return {
    terms,
    roundsFloorsUp,
    minimum: valueOf(terms.minimum, size),
    cap: terms.cap && valueOf(terms.cap, size),
    buffer: valueOf(terms.buffer, size),
    mostOfProfit: percentOf(terms.mostOfProfit),
  }
}

/** Which payouts there were. Plain data. */
export interface PaidOut {
  readonly payouts: number
  /** All that has left the account. */
  readonly total: number
  readonly lastOn: number | null
  readonly firstTradeOn: number | null
  /** The amount that a trader has left in the account under `firm-share-first`: "never profit again". */
  readonly kept: number
}

export const nothingPaidOut: PaidOut = { payouts: 0, total: 0, lastOn: null, firstTradeOn: null, kept: 0 }

export interface PayoutFigures {
  readonly profit: number
  readonly available: number
  readonly split: string
  readonly traderReceives: number
  /** The number of the first possible day, null once it is reached. */
  readonly from: number | null
  readonly missing: readonly string[]
  /** The amount that would be available if nothing were missing. */
  readonly possible: number
}

/** Returns the counting profit that is left after payouts. */
export function profitFor({ balance, base }: Account, { total, kept }: PaidOut, excluded: Exact): number {
  return down(minus(exactly(balance - base - total - kept), excluded))
}

/** "`splitAfter`: `[{ "payouts": 3, "split": "90" }]`": after so many payouts. */
export function splitFor({ split, splitAfter }: PayoutTerms, payouts: number): string {
  let best = { payouts: 0, split }
  for (const entry of splitAfter) if (entry.payouts <= payouts && entry.payouts >= best.payouts) best = entry
  return best.split
}

/** "What trader and firm receive is what leaves the account." */
export interface Shares {
  readonly trader: number
  readonly firm: number
  /** The amount that stays and is the trader's from now on. */
  readonly kept: number
}

/**
 * "The gross amount leaves the account; of the profit it covers the trader's part is `split` percent, rounded down, the
 * firm's the rest." (rules.md) Under `firm-share-first` the firm's share of the whole profit leaves first.
 */
export function sharesOf(terms: PayoutTerms, paid: PaidOut, profit: number, gross: number): Shares {
  const split = percentOf(splitFor(terms, paid.payouts))
  const whole = Math.max(profit, 0)
  if (terms.takes !== 'firm-share-first') {
    const trader = down(part(split, Math.min(gross, whole)))
    return { trader, firm: gross - trader, kept: 0 }
  }
  const tradersPart = down(part(split, whole))
  const trader = Math.min(Math.max(gross - (whole - tradersPart), 0), tradersPart)
  return { trader, firm: gross - trader, kept: tradersPart - trader }
}

interface Situation {
  readonly account: Account
  readonly paid: PaidOut
  readonly profit: number
  readonly floors: readonly PayoutFloor[]
  /** Kinds of goals that are not met. */
  readonly openGoals: readonly string[]
  readonly isBreached: boolean
}

export function payoutFigures(payouts: Payouts, situation: Situation): PayoutFigures {
  const { terms } = payouts
  const { account, paid, profit } = situation
  const possible = mostAvailable(payouts, situation)
  const received = sharesOf(terms, paid, profit, possible).trader
  const first = firstPossibleDay(terms, account, paid)
  const isEarly = account.today < first
  const missing = [...new Set(situation.openGoals)]
  if (isEarly) missing.push(paid.payouts === 0 ? 'first-after-days' : 'every-days')
  if (isBelowMinimum(payouts, possible, received)) missing.push('minimum')
  if (possible <= 0) missing.push('profit')
  if (situation.isBreached) missing.push('breached')
  // "While anything is missing it is 0.00, and `missing` says what."
  const isAvailable = missing.length === 0
  return {
    profit,
    available: isAvailable ? possible : 0,
    split: splitFor(terms, paid.payouts),
    traderReceives: isAvailable ? received : 0,
    from: isEarly ? first : null,
    missing,
    possible,
  }
}

/** Whether a payout is too little: what leaves the account, or what the trader receives of it. */
export function isBelowMinimum({ terms, minimum }: Payouts, gross: number, traders: number): boolean {
  return compare(exactly(terms.minimumOf === 'share' ? traders : gross), minimum) < 0
}

/** "The least of: profit − buffer; cap; mostOfProfit × profit; what keeps [it] above the maximum-loss floor." */
function mostAvailable(
  { terms, cap, buffer, mostOfProfit, roundsFloorsUp }: Payouts,
  { paid, profit, floors }: Situation,
): number {
  let most = least(minus(exactly(profit), buffer), part(mostOfProfit, Math.max(profit, 0)))
  if (cap && (terms.capFor === null || paid.payouts < terms.capFor)) most = least(most, cap)
  for (const { floor, measured } of floors) {
    const kept = roundsFloorsUp ? floor.exact : exactly(shownFloor(floor))
    most = least(most, minus(exactly(floor.touch === 'allowed' ? measured : measured - 1), kept))
  }
  return Math.max(down(most), 0)
}

/** "`firstAfterDays` counts calendar days from the stage's opening or the `first-trade`, `everyDays` from the last payout." */
function firstPossibleDay(terms: PayoutTerms, { openedOn, today }: Account, { lastOn, firstTradeOn }: PaidOut): number {
  if (lastOn !== null) return lastOn + terms.everyDays
  switch (terms.firstCountsFrom) {
    case 'stage':
      return openedOn + terms.firstAfterDays
    case 'first-trade':
      return (firstTradeOn ?? today) + terms.firstAfterDays
  }
}
