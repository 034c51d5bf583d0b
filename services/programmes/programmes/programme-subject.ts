import { subject } from '#services/framework/subject.ts'
import { offerRoutes } from './offer-api.ts'
import { programmeRoutes } from './programme-api.ts'
import { programmeDescriptions, programmeShown } from './programme-descriptions.ts'
import { programmeEvents, programmeStreams } from './programme.ts'

/** Programmes: the half that runs anywhere. */
export const programmeSubject = subject({
  title: 'Programmes',
  about: 'The terms that the firm offers, in versions',
  events: programmeEvents,
  aggregates: [programmeStreams],
  descriptions: programmeDescriptions,
  shown: programmeShown,
  categories: { programmes: { label: 'Programmes', staffOnly: true, isDecision: true } },
  routes: { ...programmeRoutes, ...offerRoutes },
})
