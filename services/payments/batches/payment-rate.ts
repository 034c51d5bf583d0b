import { z } from 'zod'
import { aggregate } from '#services/event-sourcing/aggregate-type.ts'
import type { Decider } from '#services/event-sourcing/decider.ts'
import { defineEvents, type EventOf } from '#services/event-sourcing/event-definitions.ts'
import { euroQuote } from '#services/rules/exchange-rate.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'

/** The rates that batches were made at, in one stream: a new one is compared with the last. */

export const paymentRateEvents = defineEvents({
  PaymentRateUsed: { batch: z.string(), /** Euro for one dollar. */ rate: z.string(), source: z.string().nullable() },
})
export type PaymentRateEvent = EventOf<typeof paymentRateEvents>

/** The last rate; null before the first batch in euro. */
type PaymentRateState = string | null

const decider: Decider<PaymentRateState, PaymentRateEvent> = { initial: null, evolve: (_, { data }) => data.rate }

export const paymentRates = aggregate('paymentrate', decider, paymentRateEvents, null)

/** The stream of the rates of euro for one dollar. */
export const EURO_RATES = 'eur'

/** A rate moves by about 1 % in a week; ten times that is a slip. */
const MOST_APART = 0.1

/**
 * Refuses a rate that is far from the last one, or nearer to its inverse: then it was typed the wrong way round
 * (calls.md).
 *
 * @throws {Refused} conflict
 */
export function assertPlausibleRate(last: string | null, rate: string): void {
  if (last === null) return
  const [before, now] = [Number(last), Number(rate)]
  const apart = Math.abs(now - before) / before
  const fromInverse = Math.abs(now - 1 / before)
  const isNearerInverse = fromInverse < Math.abs(now - before)
  if (apart <= MOST_APART && !isNearerInverse) return
  const inWords = `The last batch was made at ${bothWays(last)}. This one says ${bothWays(rate)}`
  throw new Refused(
    'conflict',
    isNearerInverse && fromInverse * before <= MOST_APART
      ? `${inWords}: it looks as if it was typed the other way round. Please correct it or confirm it.`
      : `${inWords}, ${(apart * 100).toFixed(1)} % from it. Please correct it or confirm it.`,
    'rate',
  )
}

/** '1 EUR = 1.0870 USD (1 USD = 0.92 EUR)' */
export function bothWays(rate: string): string {
  return `${euroQuote(rate)} (1 USD = ${rate} EUR)`
}
