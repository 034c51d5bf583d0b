import { FirmDay, Stats } from '#services/modules/statistics/statistics-api.ts'
import { readQuery } from '@/query-client.ts'

/** What each of the last days brought. The key begins with that of the figures: live changes refetch both. */
export const daysQuery = readQuery(['admin', 'stats', 'days'], '/api/admin/stats/days', FirmDay.array())

/** Counts and sums of the whole firm. */
export const statsQuery = readQuery(['admin', 'stats'], '/api/admin/stats', Stats)
