import { subject } from '#services/framework/subject.ts'
import type { EventDescriptions } from '#services/framework/event-description.ts'
import { type SealEvent, sealEvents, sealStreams } from '#services/proof/seal.ts'
import { auditRoutes } from './audit-api.ts'
import { sealRoutes } from './seal-api.ts'

const sealDescriptions = {
  SealingKeyIntroduced: { title: 'Sealing key introduced', category: 'seals' },
  StreamHeadsCommitted: { title: 'Ends of streams committed', category: 'seals' },
  LogRestored: { title: 'Log restored from a backup', category: 'seals' },
  TreeCheckpointSigned: { title: 'Tree checkpoint signed', category: 'seals' },
} as const satisfies EventDescriptions<SealEvent>

/** Audit: the half that runs anywhere. */
export const auditSubject = subject({
  title: 'Audit',
  about: 'Past states, who did what and why, and the signed tree over the log',
  events: sealEvents,
  aggregates: [sealStreams],
  descriptions: sealDescriptions,
  categories: { seals: { label: 'Seals', group: 'firm', staffOnly: true, isDecision: false } },
  routes: { ...auditRoutes, ...sealRoutes },
})
