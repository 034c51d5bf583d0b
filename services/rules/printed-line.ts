import { toDecimal } from './money.ts'
import type { Line, RuleLine } from './engine.ts'
import { shownFloor } from './floor.ts'
import type { PayoutFigures } from './payouts.ts'
import { dateOf } from './day-terms.ts'

/** A line as `rules evaluate` prints it: "a decimal string outside." (rules.md) */
export function printed({ at, day, balance, equity, status, rules, nearest, cause, payout }: Line) {
  return {
    at,
    day: dateOf(day),
    balance: toDecimal(balance),
    equity: toDecimal(equity),
    status,
    rules: rules.map(printedRule),
    nearest,
    cause: cause && {
      kind: cause.kind,
      floor: cause.floor === null ? null : toDecimal(cause.floor),
      measured: cause.measured === null ? null : toDecimal(cause.measured),
      at: cause.at,
      observation: cause.observation,
      ...(cause.trade !== null && { trade: cause.trade }),
    },
    payout: payout && printedPayout(payout),
  }
}
export type PrintedLine = ReturnType<typeof printed>

/** The payout of a line. */
export function printedPayout({ profit, available, split, traderReceives, from, missing }: PayoutFigures) {
  return {
    profit: toDecimal(profit),
    available: toDecimal(available),
    split,
    traderReceives: toDecimal(traderReceives),
    from: from === null ? null : dateOf(from),
    missing,
  }
}

/** The figures that its kind has, in the order of rules.md. Targets are rounded up. */
export function printedRule({ kind, figures, state }: RuleLine): PrintedRule {
  const { target, missing, floor, room, locked, days, best, profit, share, needed, excluded } = figures
  const { hits, tolerated, unknown } = figures
  const rule: Omit<PrintedRule, 'state'> = { kind }
  if (target !== undefined) rule.target = target
  if (missing !== undefined) rule.missing = missing
  if (floor) rule.floor = toDecimal(shownFloor(floor))
  if (room !== undefined) rule.room = toDecimal(room)
  if (locked !== undefined) rule.locked = locked
  if (days !== undefined) rule.days = days
  if (hits !== undefined) rule.hits = hits
  if (tolerated !== undefined) rule.tolerated = tolerated
  if (unknown !== undefined) rule.unknown = unknown
  if (best !== undefined) rule.best = toDecimal(best)
  if (profit !== undefined) rule.profit = toDecimal(profit)
  if (share !== undefined) rule.share = share
  if (needed !== undefined) rule.needed = needed
  if (excluded !== undefined) rule.excluded = toDecimal(excluded)
  return Object.assign(rule, { state })
}

/** Filled field by field, which is several times as fast as to spread each that is there. */
interface PrintedRule {
  kind: string
  target?: string
  missing?: string
  floor?: string
  room?: string
  locked?: boolean
  days?: number
  hits?: number
  tolerated?: number
  unknown?: number
  best?: string
  profit?: string
  share?: string | null
  needed?: string
  excluded?: string
  state: RuleLine['state']
}
