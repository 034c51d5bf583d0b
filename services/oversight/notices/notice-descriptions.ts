import type { EventDescriptions } from '#services/framework/event-description.ts'
import type { NoticeEvent } from './notice.ts'

export const noticeDescriptions = {
  NoticesSeen: { title: 'Notices seen', category: 'notices' },
} as const satisfies EventDescriptions<NoticeEvent>
