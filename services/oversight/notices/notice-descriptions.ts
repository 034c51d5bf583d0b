import type { EventDescriptions } from '#services/framework/event-description.ts'
import type { NoticeEvent } from '#services/identity/users/seen-notices.ts'

export const noticeDescriptions = {
  NoticesSeen: { title: 'Notices seen', category: 'notices' },
} as const satisfies EventDescriptions<NoticeEvent>
