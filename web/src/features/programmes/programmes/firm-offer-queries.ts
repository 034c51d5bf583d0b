import type { z } from 'zod'
import { type FirmOffer, offerRoutes, type OffersToAdd } from '#services/programmes/programmes/offer-api.ts'
import { send } from '@/api/api.ts'
import { routeQuery } from '@/api/route-query.ts'
import { staffChange } from '@/features/frame/staff-change.ts'

/** What the firm has set for sale, for staff. */

export const firmOffersQuery = routeQuery(offerRoutes.firmOffers, { subjects: ['programmes'] })

export const addOffers = staffChange({
  send: (body: z.output<typeof OffersToAdd>) => send(offerRoutes.addOffers, { body }),
  done: ({ programmes }) => [
    programmes.length === 1 ? 'Offer added' : `${programmes.length} offers added`,
    'The page to buy an account sells what this list has.',
  ],
  failed: () => 'Nothing was added',
})

export interface OfferChangeInput extends Pick<FirmOffer, 'programme' | 'name'> {
  readonly change: { readonly price?: string; readonly purchaseUrl?: string; readonly place?: number }
}

export const changeOffer = staffChange({
  send: ({ programme, change }: OfferChangeInput) =>
    send(offerRoutes.changeOffer, { params: { id: programme }, body: change }),
  done: ({ name }) => ['Offer changed', name],
  failed: () => 'The offer was not changed',
})

export const removeOffer = staffChange({
  send: ({ programme }: Pick<FirmOffer, 'programme' | 'name'>) =>
    send(offerRoutes.removeOffer, { params: { id: programme } }),
  done: ({ name }) => ['Offer removed', `${name} is no longer on the page.`],
  failed: () => 'The offer was not removed',
})
