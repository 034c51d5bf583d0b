import { subject } from '#services/framework/subject.ts'
import { observationRoutes } from './observation-api.ts'
import { observationDescriptions, observationShown } from '#services/trading/stream/observation-descriptions.ts'
import { observationEvents } from '#services/trading/stream/observation-events.ts'

/** Observations: the half that runs anywhere. Their events lie in the stream of the account. */
export const observationSubject = subject({
  title: 'Observations',
  about: 'What was observed of accounts under a programme: states, trades, days and transfers',
  events: observationEvents,
  descriptions: observationDescriptions,
  shown: observationShown,
  categories: {
    observations: { label: 'Observations', group: 'trading', staffOnly: false, isDecision: false },
    corrections: { label: 'Corrections of observations', group: 'trading', staffOnly: false, isDecision: true },
  },
  routes: observationRoutes,
})
