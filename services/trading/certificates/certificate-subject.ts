import { subject } from '#services/framework/subject.ts'
import { certificatePart } from './certificate-part.ts'
import { certificateRoutes } from './certificate-api.ts'
import { certificateDescriptions } from '#services/trading/stream/certificate-descriptions.ts'
import { certificateEvents } from '#services/trading/stream/certificate.ts'

/** Certificates: the half that runs anywhere. */
export const certificateSubject = subject({
  title: 'Certificates',
  about: 'Certificates, and what their traders share of them',
  events: certificateEvents,
  descriptions: certificateDescriptions,
  shown: { certificates: certificatePart },
  categories: { certificates: { label: 'Certificates', group: 'account', staffOnly: false, isDecision: true } },
  routes: certificateRoutes,
})
