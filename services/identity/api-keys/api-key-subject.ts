import { subject } from '#services/framework/subject.ts'
import { programKeyRoutes } from './api-key-api.ts'
import { programKeyDescriptions, programKeyShown } from './api-key-descriptions.ts'
import { programKeyEvents, apiKeyStreams } from './api-key.ts'

/** Keys of programs: the half that runs anywhere. */
export const programKeySubject = subject({
  title: 'Keys of programs',
  about: 'Which programs may enrol traders and send observations',
  events: programKeyEvents,
  aggregates: [apiKeyStreams],
  descriptions: programKeyDescriptions,
  shown: programKeyShown,
  categories: { programKeys: { label: 'Keys of programs', staffOnly: true, isDecision: true } },
  routes: programKeyRoutes,
})
