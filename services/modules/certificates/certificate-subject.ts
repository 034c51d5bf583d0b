import { subject } from '#services/modules/subject.ts'
import { certificatePart } from './certificate-part.ts'
import { certificateRoutes } from './certificate-api.ts'
import { certificateDescriptions } from './certificate-descriptions.ts'
import { certificateEvents } from './certificate.ts'

/** Certificates: the half that runs anywhere. */
export const certificateSubject = subject({
  title: 'Certificates',
  about: 'Certificates, and what their traders share of them',
  events: certificateEvents,
  aggregates: [],
  descriptions: certificateDescriptions,
  shown: { certificates: certificatePart },
  categories: { certificates: { label: 'Certificates', staffOnly: false, isDecision: true } },
  permissions: {
    'issue-certificates': { label: 'Upload certificates, and declare them invalid', roles: ['admin', 'support'] },
  },
  routes: certificateRoutes,
})
