import { isoTime } from '#services/framework/event-description.ts'
import { toDecimal } from '#services/rules/money.ts'
import { arithmeticOf } from '#services/trading/stream/finding-arithmetic.ts'
import type { FoundNow } from '#services/trading/stream/found.ts'
import type { ArithmeticLine } from '../standing-api.ts'
import type { StageFound } from './stages.ts'

/** The arithmetic of a breach or a pass in an answer, each amount with the event that says it. */
export function arithmeticResponse({ stage, events }: StageFound, found: FoundNow): ArithmeticLine[] {
  return arithmeticOf(stage, found).map(({ role, what, at, amount, observation }) => ({
    ...{ role, what },
    at: at === null ? null : isoTime(at),
    amount: amount === null ? null : toDecimal(amount),
    event: observation === null ? null : (events.observations.get(observation - 1) ?? null),
  }))
}
