import { z } from 'zod'
import * as statistics from '#services/modules/statistics/statistics-api.ts'
import { answer, get } from './route.ts'

/** The calls about figures of the firm. */
export const statisticsRoutes = {
  stats: get('/api/admin/stats', 'read', {
    summary: 'Counts and sums of the dashboard, and the newest users',
    position: 'waits',
    answer: answer('The figures', statistics.Stats),
  }),
  statsDays: get('/api/admin/stats/days', 'read', {
    summary: 'New accounts and approved payouts of each of the last 84 days in UTC, the oldest first',
    position: 'waits',
    answer: answer('The days', z.array(statistics.FirmDay)),
  }),
}
