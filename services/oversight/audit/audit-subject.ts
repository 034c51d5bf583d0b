import { subject } from '#services/framework/subject.ts'
import { auditRoutes } from './audit-api.ts'

/** Audit: the half that runs anywhere. */
export const auditSubject = subject({
  title: 'Audit',
  about: 'Past states, and who did what and why',
  events: {},
  aggregates: [],
  descriptions: {},
  shown: {},
  categories: {},
  routes: auditRoutes,
})
