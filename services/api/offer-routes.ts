import { z } from 'zod'
import * as offers from '#services/modules/offers/offer-api.ts'
import { answer, get } from './route.ts'

/** The calls about offers. */
export const offerRoutes = {
  offers: get('/api/offers', 'public', {
    summary: 'The evaluation accounts for sale',
    answer: answer('The six offers', z.array(offers.Offer)),
  }),
}
