import { readQuery } from '../../query-client.ts'

/** The evaluation accounts for sale. */
export const offersQuery = readQuery(['offers'], '/api/offers', () => import('../../../../services/api/offer-schemas.ts').then(({ Offer }) => Offer.array()))
