import { useQuery } from '@tanstack/react-query'
import { statisticsRoutes } from '#services/oversight/statistics/statistics-api.ts'
import { routeQuery } from '@/api/route-query.ts'

const subjects = ['users', 'accounts', 'payouts'] as const

/** Reads the figures of each of the last weeks. */
export const weeksQuery = routeQuery(statisticsRoutes.statsWeeks, { subjects })

/** Counts and sums of the whole firm. */
export const statsQuery = routeQuery(statisticsRoutes.stats, { subjects })

/** The same, for the pages that show some of them. */
export const useStats = () => useQuery(statsQuery)
