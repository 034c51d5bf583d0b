import { queryOptions } from '@tanstack/react-query'
import type { Stats } from '../../../../../services/api/statistics-schemas.ts'
import { get } from '../../../api/api.ts'
import { FRESH } from '../../../query-client.ts'

/** Counts and sums of the whole firm. */
export const statsQuery = queryOptions({
  queryKey: ['admin', 'stats'],
  queryFn: ({ signal }): Promise<Stats> =>
    get('/api/admin/stats', () => import('../../../../../services/api/statistics-schemas.ts').then(({ Stats }) => Stats), { signal }),
  staleTime: FRESH.admin,
  meta: { session: 'admin' },
})
