import { subject } from '#services/modules/subject.ts'
import { payoutPart } from './payout-part.ts'
import { payoutRoutes } from './payout-api.ts'
import { payoutDescriptions } from './payout-descriptions.ts'
import { payoutEvents } from './payout.ts'

/** Payouts: the half that runs anywhere. */
export const payoutSubject = subject({
  title: 'Payouts',
  about: 'Payout requests, and the verdicts on them',
  events: payoutEvents,
  aggregates: [],
  descriptions: payoutDescriptions,
  shown: { payouts: payoutPart },
  categories: { payouts: { label: 'Payouts', staffOnly: false, isDecision: true } },
  permissions: { 'decide-payouts': { label: 'Approve and reject payouts', roles: ['admin', 'payouts'] } },
  routes: payoutRoutes,
})
