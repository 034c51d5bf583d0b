import { queryOptions } from '@tanstack/react-query'
import type { Certificate } from '../../../../services/api/certificate-schemas.ts'
import { get } from '../../api/api.ts'
import { FRESH } from '../../query-client.ts'

/** The trader's own certificates. */
export const certificatesQuery = queryOptions({
  queryKey: ['certificates'],
  queryFn: ({ signal }): Promise<Certificate[]> =>
    get('/api/user/certificates', () => import('../../../../services/api/certificate-schemas.ts').then(({ Certificate }) => Certificate.array()), { signal }),
  staleTime: FRESH.trader,
})
