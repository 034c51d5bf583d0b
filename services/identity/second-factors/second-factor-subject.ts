import { subject } from '#services/framework/subject.ts'
import { factorRoutes } from './second-factor-api.ts'
import { secondFactorDescriptions, secondFactorShown } from './second-factor-descriptions.ts'
import { secondFactorEvents, staffFactors, userFactors } from './second-factor.ts'

/** Second factors: the half that runs anywhere. */
export const secondFactorSubject = subject({
  title: 'Second factors',
  about: 'Passkeys, authenticator apps and recovery codes',
  events: secondFactorEvents,
  aggregates: [userFactors, staffFactors],
  descriptions: secondFactorDescriptions,
  shown: secondFactorShown,
  categories: { secondFactors: { label: 'Second factors', group: 'people', staffOnly: false, isDecision: false } },
  routes: factorRoutes,
})
