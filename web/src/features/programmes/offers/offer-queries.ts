import { offerRoutes } from '#services/programmes/programmes/offer-api.ts'
import { routeQuery } from '@/api/route-query.ts'

/** The evaluation accounts for sale. */
export const offersQuery = routeQuery(offerRoutes.offers, { subjects: ['programmes'] })
