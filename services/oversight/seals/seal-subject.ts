import { subject } from '#services/framework/subject.ts'
import { sealEvents, sealStreams } from '#services/proof/seal.ts'
import { sealRoutes } from './seal-api.ts'
import { sealDescriptions } from './seal-descriptions.ts'

/** Seals: the half that runs anywhere. */
export const sealSubject = subject({
  title: 'Seals',
  about: 'The signed tree over the log, for everyone',
  events: sealEvents,
  aggregates: [sealStreams],
  descriptions: sealDescriptions,
  shown: {},
  categories: { seals: { label: 'Seals', staffOnly: true, isDecision: false } },
  routes: sealRoutes,
})
