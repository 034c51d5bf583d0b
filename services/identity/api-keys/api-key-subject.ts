import { subject } from '#services/framework/subject.ts'
import { apiKeyRoutes } from './api-key-api.ts'
import { apiKeyDescriptions, apiKeyShown } from './api-key-descriptions.ts'
import { apiKeyEvents, apiKeyStreams } from './api-key.ts'

/** Keys of programs: the half that runs anywhere. */
export const apiKeySubject = subject({
  title: 'Keys of programs',
  about: 'Which programs may enrol traders and send observations',
  events: apiKeyEvents,
  aggregates: [apiKeyStreams],
  descriptions: apiKeyDescriptions,
  shown: apiKeyShown,
  categories: { programKeys: { label: 'Keys of programs', group: 'firm', staffOnly: true, isDecision: true } },
  routes: apiKeyRoutes,
})
