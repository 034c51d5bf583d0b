import { queryOptions } from '@tanstack/react-query'
import type { Offer } from '../../../../services/api/offer-schemas.ts'
import { get } from '../../api/api.ts'
import { FRESH } from '../../query-client.ts'

/** The evaluation accounts for sale. */
export const offersQuery = queryOptions({
  queryKey: ['offers'],
  queryFn: ({ signal }): Promise<Offer[]> =>
    get('/api/offers', () => import('../../../../services/api/offer-schemas.ts').then(({ Offer }) => Offer.array()), { signal }),
  staleTime: FRESH.trader,
})
