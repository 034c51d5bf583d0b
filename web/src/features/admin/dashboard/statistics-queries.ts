import { readQuery } from '../../../query-client.ts'

/** Counts and sums of the whole firm. */
export const statsQuery = readQuery(['admin', 'stats'], '/api/admin/stats', () =>
  import('../../../../../services/api/statistics-schemas.ts').then(({ Stats }) => Stats),
)
