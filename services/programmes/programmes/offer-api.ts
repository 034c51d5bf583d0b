import { z } from 'zod'
import { Money } from '#services/framework/api/money.ts'
import { described, namedObject } from '#services/framework/api/openapi-component.ts'
import { answer, conflict, del, get, patch, pathOf, post } from '#services/framework/api/route.ts'
import { INVALID, missingOrInvalid, namedRequest, text, trimmedText } from '#services/framework/api/text.ts'
import { programmeId } from '#services/framework/ids.ts'

/**
 * Evaluation accounts for sale: six sizes, each with two challenges and where to buy them (specification §2, §9), or what
 * the firm has set.
 */

const purchaseUrl = z.url({ protocol: /^https?$/ })

const percent = z.number().nullable()

const OfferRule = namedObject('OfferRule', {
  name: described("'Profit Target'", z.string()),
  percent: described("Share of the account's size in percent, to two decimals", z.number()),
  amount: described('In US dollars; null for a percentage of a value that moves', Money.nullable()),
})
export type OfferRule = z.infer<typeof OfferRule>

const sold = {
  name: z.string(),
  purchaseUrl,
  /** The id of the programme that it enrols in. */
  programme: z.string(),
  price: described('As the firm wrote it; null where it wrote none', z.string().nullable()),
  rules: described('The same, as offers show them: without those that the programme does not have', z.array(OfferRule)),
}

const challenge = { ...sold, maxDrawdown: percent, maxDailyLoss: percent }

/** Percentages are of the account's size, null where the programme has no such rule. */
export const Offer = namedObject('Offer', {
  label: z.string(),
  size: described('In US dollars', z.number().positive()),
  oneStep: described(
    'Null where the firm has set its offers and this is none of them',
    z.object({ ...challenge, phase: z.string(), profitTarget: percent }).nullable(),
  ),
  twoStep: described(
    'Null where the firm has set its offers and this is none of them',
    z.object({ ...challenge, phase1Target: percent, phase2Target: percent }).nullable(),
  ),
  other: described('A programme of the firm that is none of these challenges; else null', z.object(sold).nullable()),
})
export type Offer = z.infer<typeof Offer>

/** More offers than a page can show with sense. */
export const MOST_OFFERS = 200

/** Why an offer is not on the page. */
export const whyHidden = ['retired', 'no-link'] as const

/** An offer as staff see it. */
export const FirmOffer = namedObject('FirmOffer', {
  programme: z.string(),
  name: z.string(),
  price: z.string(),
  purchaseUrl: described('Null where the link is that of the variable PURCHASE_URL', z.string().nullable()),
  link: described('Where its button leads; null without a link', z.string().nullable()),
  hidden: described('Why the page does not show it; null where it does', z.enum(whyHidden).nullable()),
  isExample: described('Whether its link leads to an address that is kept for examples', z.boolean()),
})
export type FirmOffer = z.infer<typeof FirmOffer>

export const FirmOffers = namedObject('FirmOffers', {
  isSet: described("False until the firm has set its offers: then the page has the specification's", z.boolean()),
  shown: described('Offers that the page shows', z.int().nonnegative()),
  toExample: described('Those of them whose buttons lead to an example address', z.int().nonnegative()),
  offers: described('In the order of the page', z.array(FirmOffer)),
})
export type FirmOffers = z.infer<typeof FirmOffers>

/** An https address without a name and a password in it: nobody reads or changes what is sent there on the way. */
const SECURE_ADDRESS = /^(https:\/\/([a-zA-Z0-9-]+\.)+[a-zA-Z][a-zA-Z0-9-]*(:[1-5]?\d{1,4})?([/?#][!-~]*)?)?$/

const terms = {
  price: described("As people read it: '$49, once'", trimmedText(80).optional()),
  purchaseUrl: described(
    'Where it is bought; blank for the link of the variable PURCHASE_URL',
    text(2_000).regex(SECURE_ADDRESS, 'Please enter an address that begins with https://').optional(),
  ),
}

/** POST /api/admin/offers */
export const OffersToAdd = namedRequest('OffersToAdd', {
  programmes: described(
    'Ids of published programmes; those that are offered stay as they are',
    z.array(programmeId, { error: missingOrInvalid }).min(1, 'Please choose a programme').max(MOST_OFFERS, INVALID),
  ),
  ...terms,
})

/** PATCH /api/admin/offers/:id */
export const OfferChange = namedRequest('OfferChange', {
  ...terms,
  place: described('From 0, in the order of the page', z.int({ error: INVALID }).nonnegative(INVALID).optional()),
})

const offerPath = pathOf("The programme's id", programmeId, 'This programme is not offered')

/** The calls about offers. */
export const offerRoutes = {
  offers: get('/api/offers', 'public', {
    summary: 'The evaluation accounts for sale, with what their programmes say now',
    position: 'waits',
    answer: answer('The offers, in the order of the page', z.array(Offer)),
  }),
  firmOffers: get('/api/admin/offers', 'read', {
    summary: 'What the firm has set for sale, and what of it the page shows',
    position: 'waits',
    answer: answer('The offers', FirmOffers),
  }),
  addOffers: post('/api/admin/offers', 'publish-programmes', {
    summary: 'Offer programmes: the page then sells what the firm has set, and nothing else',
    body: OffersToAdd,
    refuses: conflict,
  }),
  changeOffer: patch('/api/admin/offers/:id', 'publish-programmes', {
    summary: 'Change the price, the link or the place of an offer',
    params: offerPath,
    body: OfferChange,
  }),
  removeOffer: del('/api/admin/offers/:id', 'publish-programmes', {
    summary: 'Take an offer off the page',
    params: offerPath,
  }),
}
