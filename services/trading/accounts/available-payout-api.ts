import { ErrorAnswer } from '#services/framework/api/error-schemas.ts'
import { Money } from '#services/framework/api/money.ts'
import { described, namedObject } from '#services/framework/api/openapi-component.ts'
import { answer } from '#services/framework/api/route.ts'
import { z } from 'zod'

/** The payout that the terms of an account allow. A file of its own, since accounts and payouts answer with it. */

/** The payout of a line of the rules. */
export const payoutShape = {
  profit: Money,
  available: described('Amount left beside the waiting requests; 0.00 while a condition is missing', Money),
  split: described("The trader's share of the profit in percent", z.string()),
  traderReceives: described("The trader's share of the available amount", Money),
  from: described('The first possible day; null once it is reached', z.iso.date().nullable()),
  missing: described(
    "Conditions that hold a payout back: kinds of goals, 'every-days', 'minimum', 'profit' and the like",
    z.array(z.string()),
  ),
}

const availableShape = {
  ...payoutShape,
  waiting: described('The sum of the requests that wait', Money),
}

export const AvailablePayout = namedObject('AvailablePayout', availableShape)
export type AvailablePayout = z.infer<typeof AvailablePayout>

const PayoutNeed = namedObject('PayoutNeed', {
  kind: described('As in `missing`', z.string()),
  have: described('What there is now: days, or an amount; null where no number says it', z.string().nullable()),
  asked: described('What there has to be', z.string().nullable()),
  left: described('What is left until then', z.string().nullable()),
  share: described(
    'Of a consistency rule: the share of the best result in the profit, in percent',
    z.string().nullable(),
  ),
  mostShare: described('The largest share that it may have', z.string().nullable()),
})
export type PayoutNeed = z.infer<typeof PayoutNeed>

/** The same for the account's page: with the terms, and the numbers of the events behind it. */
export const OwnAvailablePayout = namedObject('OwnAvailablePayout', {
  ...availableShape,
  needs: described(
    'What is missing in numbers: one for each open goal, and for each other condition',
    z.array(PayoutNeed),
  ),
  terms: z.object({
    name: z.string(),
    takes: z.enum(['request', 'everything', 'firm-share-first']),
    firstAfterDays: z.int(),
    everyDays: z.int(),
    minimum: described("Minimum of the trader's share, or of the profit taken", Money),
    minimumOf: z.enum(['share', 'profit']),
    cap: Money.nullable(),
    buffer: described('Profit that stays in the account', Money),
    mostOfProfit: described('Largest part of the profit that one payout may take, in percent', z.string()),
  }),
  events: z.object({
    terms: described('Set the terms', z.int().positive()),
    balance: described('Reported the present balance', z.int().positive()),
    payout: described('Deducted the last payout under these terms; null without one', z.int().positive().nullable()),
  }),
})
export type OwnAvailablePayout = z.infer<typeof OwnAvailablePayout>

/** A request or an approval that the terms do not allow. */
const PayoutRefusal = namedObject('PayoutRefusal', { message: z.string(), payout: AvailablePayout })
export type PayoutRefusal = z.infer<typeof PayoutRefusal>

export const notAvailable = {
  409: answer('The current state or the terms do not allow it', z.union([PayoutRefusal, ErrorAnswer])),
}
