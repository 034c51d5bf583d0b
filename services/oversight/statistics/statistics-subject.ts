import { subject } from '#services/framework/subject.ts'
import { statisticsRoutes } from './statistics-api.ts'

/** Statistics: the half that runs anywhere. */
export const statisticsSubject = subject({
  title: 'Statistics',
  about: 'Counts and sums of the whole firm',
  routes: statisticsRoutes,
})
