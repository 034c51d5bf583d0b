import { subject } from '#services/modules/subject.ts'
import { programKeyRoutes } from './program-key-api.ts'
import { programKeyDescriptions, programKeyShown } from './program-key-descriptions.ts'
import { programKeyEvents, programKeys } from './program-key.ts'

/** Keys of programs: the half that runs anywhere. */
export const programKeySubject = subject({
  title: 'Keys of programs',
  about: 'Which programs may enrol traders and send observations',
  events: programKeyEvents,
  aggregates: [programKeys],
  descriptions: programKeyDescriptions,
  shown: programKeyShown,
  categories: { programKeys: { label: 'Keys of programs', staffOnly: true, isDecision: true } },
  permissions: {},
  routes: programKeyRoutes,
})
