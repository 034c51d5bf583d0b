import { accountRoutes } from './account-routes.ts'
import { auditRoutes } from './audit-routes.ts'
import { certificateRoutes } from './certificate-routes.ts'
import { factorRoutes } from './factor-routes.ts'
import { noticeRoutes } from './notice-routes.ts'
import { offerRoutes } from './offer-routes.ts'
import { payoutRoutes } from './payout-routes.ts'
import { sealRoutes } from './seal-routes.ts'
import { serviceRoutes } from './service-routes.ts'
import { sessionRoutes } from './session-routes.ts'
import { staffRoutes } from './staff-routes.ts'
import { statisticsRoutes } from './statistics-routes.ts'
import { systemRoutes } from './system-routes.ts'
import { userRoutes } from './user-routes.ts'
import { type Responses, responsesOf, type Route } from './route.ts'

/**
 * All calls of the HTTP API (specification §7), by subject. The services register their handlers from this table, and the OpenAPI
 * document is derived from it, so the two cannot differ.
 */

interface Group {
  /** Its tag in the OpenAPI document. */
  readonly title: string
  readonly about: string
  readonly routes: Readonly<Record<string, Route>>
}

export const groups: readonly Group[] = [
  { title: 'Sign-in', about: 'Sign in and out, recover a password, see and end sessions', routes: sessionRoutes },
  { title: 'Users', about: 'Register, and who users are', routes: userRoutes },
  { title: 'Second factors', about: 'Passkeys, authenticator apps and recovery codes', routes: factorRoutes },
  { title: 'Accounts', about: 'Trading accounts, and how they got where they are', routes: accountRoutes },
  { title: 'Payouts', about: 'Payout requests, and the verdicts on them', routes: payoutRoutes },
  { title: 'Certificates', about: 'Certificates, and what their traders share of them', routes: certificateRoutes },
  { title: 'Notices', about: 'What is new for a trader', routes: noticeRoutes },
  { title: 'Offers', about: 'The evaluation accounts for sale', routes: offerRoutes },
  { title: 'Staff', about: 'The members of staff, and their access keys', routes: staffRoutes },
  { title: 'Statistics', about: 'Counts and sums of the whole firm', routes: statisticsRoutes },
  { title: 'Installation', about: 'The state of the portal', routes: systemRoutes },
  { title: 'Audit', about: 'Past states, and who did what and why', routes: auditRoutes },
  { title: 'Seals', about: 'The signed tree over the log, for everyone', routes: sealRoutes },
  { title: 'Service', about: 'The service itself', routes: serviceRoutes },
]

export const routes = {
  ...sessionRoutes,
  ...userRoutes,
  ...factorRoutes,
  ...accountRoutes,
  ...payoutRoutes,
  ...certificateRoutes,
  ...noticeRoutes,
  ...offerRoutes,
  ...staffRoutes,
  ...statisticsRoutes,
  ...systemRoutes,
  ...auditRoutes,
  ...sealRoutes,
  ...serviceRoutes,
}

export interface NamedRoute extends Route {
  readonly name: string
  readonly tag: string
  readonly responses: Responses
}

/** Every call as a list, each with its name. */
export const allRoutes: readonly NamedRoute[] = groups.flatMap(({ title, routes: ofSubject }) =>
  Object.entries(ofSubject).map(([name, route]) => ({
    ...route,
    ...(route.method !== 'get' && route.access !== 'public' && { position: 'answers' as const }),
    name,
    tag: title,
    responses: route.responses ?? responsesOf(route),
  })),
)

/** A path as OpenAPI writes it: '/api/admin/user/{id}'. */
export function openApiPath(path: string): string {
  return path.replace(/[:*](\w+)/g, '{$1}')
}
