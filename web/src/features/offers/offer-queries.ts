import { Offer } from '#services/modules/offers/offer-api.ts'
import { readQuery } from '@/query-client.ts'

/** The evaluation accounts for sale. */
export const offersQuery = readQuery(['offers'], '/api/offers', Offer.array(), { subjects: ['offers'] })
