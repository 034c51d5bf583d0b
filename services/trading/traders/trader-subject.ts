import { subject } from '#services/framework/subject.ts'
import { traderRoutes } from './trader-api.ts'

/** Traders: the half that runs anywhere. Their events are those of users and accounts. */
export const traderSubject = subject({
  title: 'Traders',
  about: 'Users with their accounts',
  routes: traderRoutes,
})
