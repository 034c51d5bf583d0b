import { subject } from '#services/framework/subject.ts'
import { batchRoutes } from './batch-api.ts'
import { batchDescriptions, batchShown } from './batch-descriptions.ts'
import { batchEvents, batchStreams } from './batch.ts'
import { firmAccountEvents, firmAccounts } from './firm-account.ts'

/** Batches of payments: the half that runs anywhere. */
export const batchSubject = subject({
  title: 'Batches',
  about: 'Payments that leave in one file, and what banks answer',
  events: { ...batchEvents, ...firmAccountEvents },
  aggregates: [batchStreams, firmAccounts],
  descriptions: batchDescriptions,
  shown: batchShown,
  categories: { batches: { label: 'Batches', staffOnly: true, isDecision: true } },
  routes: batchRoutes,
})
