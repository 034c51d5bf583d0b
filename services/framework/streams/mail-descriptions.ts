import { change, type EventDescriptions } from '#services/framework/event-description.ts'
import type { MailEvent } from './mail.ts'

export const mailDescriptions = {
  MailSent: {
    title: 'Mail sent',
    category: 'installation',
    changes: ({ data }) => [change('mail.about', null, data.kind), change('mail.stream', null, data.stream)],
  },
} as const satisfies EventDescriptions<MailEvent>
