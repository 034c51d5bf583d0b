import { subject } from '#services/framework/subject.ts'
import { findingRoutes } from './finding-api.ts'
import { findingDescriptions } from '#services/trading/stream/finding-descriptions.ts'
import { findingEvents } from '#services/trading/stream/finding-events.ts'
import { findingPart } from './finding-part.ts'

/** Findings: the half that runs anywhere. Their events lie in the stream of the account. */
export const findingSubject = subject({
  title: 'Findings',
  about: 'Breaches and passed stages that the rules of programmes find, and what was decided about them',
  events: findingEvents,
  descriptions: findingDescriptions,
  shown: { findings: findingPart },
  categories: { findings: { label: 'Findings of the rules', staffOnly: false, isDecision: true } },
  routes: findingRoutes,
})
