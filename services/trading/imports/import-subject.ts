import { subject } from '#services/framework/subject.ts'
import { importRoutes } from './import-api.ts'
import { importDescriptions, importShown } from './import-descriptions.ts'
import { importEvents, importStreams } from './import.ts'

/** Imports of statements: the half that runs anywhere. */
export const importSubject = subject({
  title: 'Imports',
  about: 'Statement files whose rows become observations',
  events: importEvents,
  aggregates: [importStreams],
  descriptions: importDescriptions,
  shown: importShown,
  categories: { imports: { label: 'Imports of statements', staffOnly: true, isDecision: true } },
  routes: importRoutes,
})
