import { subject } from '#services/framework/subject.ts'
import { noticeRoutes } from './notice-api.ts'
import { noticeDescriptions } from './notice-descriptions.ts'
import { noticeEvents, noticeStreams } from '#services/identity/users/seen-notices.ts'

/** Notices: the half that runs anywhere. */
export const noticeSubject = subject({
  title: 'Notices',
  about: 'What is new for a trader',
  events: noticeEvents,
  aggregates: [noticeStreams],
  descriptions: noticeDescriptions,
  categories: { notices: { label: 'Notices', staffOnly: false, isDecision: false } },
  routes: noticeRoutes,
})
