import { Refused } from '#services/event-sourcing/refusal.ts'
import { type Stage, stageAt } from './stage.ts'
import { evaluate, type Line, type RuleLine, type Rules, sharesAt, type State } from '#services/rules/engine.ts'
import { shownFloor } from '#services/rules/floor.ts'
import { isBelowMinimum, type PayoutFigures, type Payouts, type Shares } from '#services/rules/payouts.ts'
import { toCents, inDollars } from '#services/rules/money.ts'

/** The payout that the terms of an account allow, by the rule engine. Whole cents, times in ms. */

/** "The `payout` of rules.md plus `waiting`; `available` is what is left beside them." */
export interface AvailablePayout extends PayoutFigures {
  readonly waiting: number
}

interface Now {
  readonly rules: Rules
  readonly state: State
  readonly line: Line
  readonly payouts: Payouts
  readonly figures: PayoutFigures
}

function stageNow(stage: Stage, now: number): Now {
  const { rules, state, line } = stageAt(stage, now)
  if (!rules.payouts || !line.payout) throw new TypeError('Terms are of a funded stage')
  return { rules, state, line, payouts: rules.payouts, figures: line.payout }
}

/** Returns the amount left beside the requests that wait: "0.00 with `minimum` if that is too little". */
export function availablePayout(stage: Stage, now: number, waiting: number): AvailablePayout {
  const { rules, state, payouts, figures } = stageNow(stage, now)
  if (waiting === 0 || figures.available === 0) return { ...figures, waiting }
  const available = figures.available - waiting
  const traderReceives = available > 0 ? (sharesAt(rules, state, available)?.trader ?? 0) : 0
  if (available > 0 && !isBelowMinimum(payouts, available, traderReceives))
    return { ...figures, available, traderReceives, waiting }
  return { ...figures, available: 0, traderReceives: 0, missing: [...figures.missing, 'minimum'], waiting }
}

/** The terms do not allow a payout. */
export class PayoutNotAvailable extends Refused {
  constructor(
    message: string,
    readonly payout: AvailablePayout,
  ) {
    super('conflict', message)
  }
}

/** @throws {PayoutNotAvailable} when the terms do not allow this request beside those that wait. */
export function assertRequestable(stage: Stage, now: number, pending: readonly number[], amount: number): void {
  const waiting = sumOf(pending)
  const payout = availablePayout(stage, now, waiting)
  const { rules, state, payouts } = stageNow(stage, now)
  const { terms } = payouts
  const trader = sharesAt(rules, state, amount)?.trader ?? 0
  const fault =
    pending.length > 0 && terms.everyDays > 0
      ? 'A request waits already. You can make the next one once it is decided.'
      : payout.available === 0
        ? 'Nothing is available for a payout now.'
        : amount > payout.available
          ? `The amount is above the ${inDollars(payout.available)} that is available now.`
          : terms.takes === 'everything' && amount < payout.available
            ? `The terms allow only the whole available amount: ${inDollars(payout.available)}.`
            : isBelowMinimum(payouts, amount, trader)
              ? 'The amount is below the minimum of the terms.'
              : trader <= 0 && 'Nothing of this amount would be yours. Please ask for more.'
  if (fault) throw new PayoutNotAvailable(fault, payout)
}

/**
 * Who receives what of a payout that is approved now. Other requests that wait are not subtracted.
 *
 * @throws {PayoutNotAvailable} when less is available.
 */
export function approvedShares(stage: Stage, now: number, amount: number, waiting: number): Shares {
  const { rules, state, figures } = stageNow(stage, now)
  const shares = sharesAt(rules, state, amount)
  const payout = { ...figures, waiting }
  if (amount > figures.available || !shares)
    throw new PayoutNotAvailable(
      `The amount is above the ${inDollars(figures.available)} that is available now. The request stays pending.`,
      payout,
    )
  if (shares.trader <= 0) throw new PayoutNotAvailable('Nothing of this amount would be the trader’s.', payout)
  return shares
}

/** The figures of a stage before and after a payout; no floor where it has none. */
export function payoutEffect(stage: Stage, now: number, amount: number) {
  const { rules, state, line, figures } = stageNow(stage, now)
  const paid = evaluate(rules, state, {
    at: { text: line.at, ms: now, ns: 0 },
    kind: 'payout',
    amount: toCents(amount),
  })
  const [before, after] = [floorOf(line), floorOf(paid.line)]
  return {
    available: figures.available,
    profit: { before: figures.profit, after: paid.line.payout?.profit ?? 0 },
    floor: before === null || after === null ? null : { before, after },
    shares: sharesAt(rules, state, amount) ?? { trader: 0, firm: amount },
  }
}

/** The maximum-loss floor of a line. */
export function floorOf({ rules }: { readonly rules: readonly RuleLine[] }): number | null {
  const floor = rules.find(({ kind }) => kind === 'maximum-loss')?.figures.floor
  return floor ? shownFloor(floor) : null
}

export function sumOf(amounts: readonly number[]): number {
  return amounts.reduce((sum, amount) => sum + amount, 0)
}
