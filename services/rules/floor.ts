import type { z } from 'zod'
import { type Exact, exactly, minus } from './exact.ts'
import { type Fall, measured, type measures, type Observed, type touch } from './rule.ts'

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
  if (!isWholeDay(observed)) return isPassed(terms, after, close) ? { floor: after, measured: close } : null
  const lowest = measured(terms.measures, { balance: observed.balance, equity: observed.lowestEquity })
  if (isPassed(terms, before, lowest)) return { floor: before, measured: lowest }
  if (isPassed(terms, after, close)) return { floor: after, measured: close }
  return isPassed(terms, after, lowest) ? 'undetermined' : null
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

/** "`room`: measured value − floor, never below 0.00." (rules.md) */
export function roomAbove(floor: Exact, value: number): Exact {
  const room = minus(exactly(value), floor)
  return room.cents < 0 ? exactly(0) : room
}
