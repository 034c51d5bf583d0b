import { subject } from '#services/framework/subject.ts'
import { noticeRoutes } from './notice-api.ts'
import { type NoticeEvent, noticeEvents, noticeStreams } from '#services/identity/users/seen-notices.ts'
import type { EventDescriptions } from '#services/framework/event-description.ts'

const noticeDescriptions = {
  NoticesSeen: { title: 'Notices seen', category: 'notices' },
} as const satisfies EventDescriptions<NoticeEvent>

/** Notices: the half that runs anywhere. */
export const noticeSubject = subject({
  title: 'Notices',
  about: 'What is new for a trader',
  events: noticeEvents,
  aggregates: [noticeStreams],
  descriptions: noticeDescriptions,
  categories: { notices: { label: 'Notices', group: 'people', staffOnly: false, isDecision: false } },
  routes: noticeRoutes,
})
