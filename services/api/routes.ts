import { accountRoutes } from '#services/modules/accounts/account-api.ts'
import { auditRoutes } from '#services/modules/audit/audit-api.ts'
import { certificateRoutes } from '#services/modules/certificates/certificate-api.ts'
import { factorRoutes } from '#services/modules/second-factors/second-factor-api.ts'
import { noticeRoutes } from '#services/modules/notices/notice-api.ts'
import { offerRoutes } from '#services/modules/offers/offer-api.ts'
import { payoutRoutes } from '#services/modules/payouts/payout-api.ts'
import { sealRoutes } from '#services/modules/seals/seal-api.ts'
import { sessionRoutes } from '#services/modules/sign-in/sign-in-api.ts'
import { staffRoutes } from '#services/modules/staff/staff-api.ts'
import { statisticsRoutes } from '#services/modules/statistics/statistics-api.ts'
import { systemRoutes } from '#services/modules/installation/installation-api.ts'
import { userRoutes } from '#services/modules/users/user-api.ts'
import { serviceRoutes } from './service-routes.ts'
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
