import { Offer } from '#services/api/offer-schemas.ts'
import { readQuery } from '@/query-client.ts'

/** The evaluation accounts for sale. */
export const offersQuery = readQuery(['offers'], '/api/offers', Offer.array())
