import type { z } from 'zod'
import { down, type Exact, up } from './exact.ts'
import { type Fall, type Floor, measured, type measures, type Observed, type touch } from './rule.ts'

/** The common parts of both kinds of floors. */

interface Terms {
  readonly measures: z.infer<typeof measures>
  readonly touch: z.infer<typeof touch>
}

/**
 * "Breached if the lowest is at the floor that held before the day, or the close at the floor after it; `undetermined`
 * if the lowest is only at the floor that the day's highest raised." (rules.md) Of a single moment, only the floor
 * after it counts.
 */
export function checkFloors(
  terms: Terms,
  before: Exact,
  after: Exact,
  observed: Observed,
): Fall | 'undetermined' | null {
  const close = measured(terms.measures, observed)
  if (!isWholeDay(observed)) return isPassed(terms, after, close) ? fallTo(terms, after, close) : null
  const lowest = measured(terms.measures, { balance: observed.balance, equity: observed.lowestEquity })
  if (isPassed(terms, before, lowest)) return fallTo(terms, before, lowest)
  if (isPassed(terms, after, close)) return fallTo(terms, after, close)
  return isPassed(terms, after, lowest) ? 'undetermined' : null
}

function fallTo({ touch }: Terms, floor: Exact, value: number): Fall {
  return { floor: { exact: floor, touch }, measured: value }
}

/**
 * "A floor is shown as the cent at which the state changes, which is the highest that breaches for `touch: breach` and
 * the lowest that is allowed for `allowed`." (rules.md)
 */
export function shownFloor({ exact, touch }: Floor): number {
  return touch === 'breach' ? down(exact) : up(exact)
}

/** "`room`, `cause`, limits in words and what is available after a payout follow from that cent." (rules.md) */
export function shownRoom(floor: Floor, value: number): number {
  return Math.max(0, value - shownFloor(floor))
}

/** A limit as shown: what a floor lies below a whole amount. */
export function shownLimit(limit: Exact, touch: Floor['touch']): number {
  return touch === 'breach' ? up(limit) : down(limit)
}

/** Whether more than one value was observed. */
export function isWholeDay({ equity, lowestEquity, highestEquity }: Observed): boolean {
  return lowestEquity !== equity || highestEquity !== equity
}

/** "`touch`: `breach` (at the floor is breached) or `allowed` (only below it)." (rules.md) */
function isPassed({ touch }: Terms, floor: Exact, value: number): boolean {
  const room = value - floor.cents || -floor.rest
  return touch === 'breach' ? room <= 0 : room < 0
}
