import { offerRoutes } from '#services/programmes/programmes/offer-api.ts'
import { routeQuery } from '@/api/route-query.ts'

/** The evaluation accounts for sale. Traders' pages show them: they hear of changes. */
export const offersQuery = routeQuery(offerRoutes.offers, { session: 'trader', subjects: ['programmes'] })
