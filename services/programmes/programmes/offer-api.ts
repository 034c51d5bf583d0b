import { Money } from '#services/framework/api/money.ts'
import { described, namedObject } from '#services/framework/api/openapi-component.ts'
import { answer, get } from '#services/framework/api/route.ts'
import { z } from 'zod'

/** Evaluation accounts for sale: six sizes, each with two challenges and where to buy them (specification §2, §9). */

const purchaseUrl = z.url({ protocol: /^https?$/ })

const percent = z.number().nullable()

const OfferRule = namedObject('OfferRule', {
  name: described("'Profit Target'", z.string()),
  percent: described("Share of the account's size in percent, to two decimals", z.number()),
  amount: described('In US dollars; null for a percentage of a value that moves', Money.nullable()),
})
export type OfferRule = z.infer<typeof OfferRule>

const challenge = {
  name: z.string(),
  maxDrawdown: percent,
  maxDailyLoss: percent,
  purchaseUrl,
  /** The id of the programme that it enrols in. */
  programme: z.string(),
  rules: described('The same, as offers show them: without those that the programme does not have', z.array(OfferRule)),
}

/** Percentages are of the account's size, null where the programme has no such rule. */
export const Offer = namedObject('Offer', {
  label: z.string(),
  size: z.int().positive(),
  oneStep: z.object({ ...challenge, phase: z.string(), profitTarget: percent }),
  twoStep: z.object({ ...challenge, phase1Target: percent, phase2Target: percent }),
})
export type Offer = z.infer<typeof Offer>

/** The calls about offers. */
export const offerRoutes = {
  offers: get('/api/offers', 'public', {
    summary: 'The evaluation accounts for sale, with what their programmes say now',
    position: 'waits',
    answer: answer('The six offers', z.array(Offer)),
  }),
}
