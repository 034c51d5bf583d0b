import { subject } from '#services/framework/subject.ts'
import { payoutPart } from './payout-part.ts'
import { payoutRoutes } from './payout-api.ts'
import { payoutDescriptions } from '#services/trading/stream/payout-descriptions.ts'
import { payoutEvents } from '#services/trading/stream/payout.ts'

/** Payouts: the half that runs anywhere. */
export const payoutSubject = subject({
  title: 'Payouts',
  about: 'Payout requests, and the verdicts on them',
  events: payoutEvents,
  descriptions: payoutDescriptions,
  shown: { payouts: payoutPart },
  categories: { payouts: { label: 'Payouts', group: 'payments', staffOnly: false, isDecision: true } },
  routes: payoutRoutes,
})
