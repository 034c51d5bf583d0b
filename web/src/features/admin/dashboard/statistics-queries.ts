import { FirmDay, Stats } from '#services/modules/statistics/statistics-api.ts'
import { readQuery } from '@/query-client.ts'

const subjects = ['users', 'accounts', 'payouts'] as const

/** What each of the last days brought. */
export const daysQuery = readQuery(['admin', 'stats', 'days'], '/api/admin/stats/days', FirmDay.array(), { subjects })

/** Counts and sums of the whole firm. */
export const statsQuery = readQuery(['admin', 'stats'], '/api/admin/stats', Stats, { subjects })
