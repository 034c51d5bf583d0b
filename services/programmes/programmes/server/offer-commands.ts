import { done } from '#services/framework/http/serve-route.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import type { Commands } from '#services/framework/module.ts'
import type { ProgrammesParts } from '#services/programmes/parts.ts'
import { addOffers, changeOffer, OFFERS_ID, offerStreams, removeOffer } from '../firm-offers.ts'
import type { offerRoutes } from '../offer-api.ts'
import { offeredVersion, programmeStreams } from '../programme.ts'

/** What staff put on the page, and take off it. */
export function offerCommands({ repositories }: ProgrammesParts['commands']): Commands<typeof offerRoutes> {
  const offers = repositories.of(offerStreams)
  return {
    addOffers: async ({ body: { programmes, price = '', purchaseUrl = '' }, context }) => {
      const loaded = await Promise.all(programmes.map((id) => repositories.of(programmeStreams).load(id)))
      if (loaded.some(({ state }) => !offeredVersion(state)))
        throw new Refused('invalid', 'Only a published programme can be offered', 'programmes')
      const { position } = await offers.decide(OFFERS_ID, context, (state) =>
        addOffers(state, programmes, { price, purchaseUrl: purchaseUrl || null }),
      )
      return done(position)
    },

    changeOffer: async ({ params: { id }, body: { purchaseUrl, ...change }, context }) => {
      const link = purchaseUrl === undefined ? {} : { purchaseUrl: purchaseUrl || null }
      const { position } = await offers.decide(OFFERS_ID, context, (state) =>
        changeOffer(state, id, { ...change, ...link }),
      )
      return done(position)
    },

    removeOffer: async ({ params: { id }, context }) => {
      const { position } = await offers.decide(OFFERS_ID, context, (state) => removeOffer(state, id))
      return done(position)
    },
  }
}
