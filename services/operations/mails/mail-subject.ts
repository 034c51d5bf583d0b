import { subject } from '#services/framework/subject.ts'
import { type MailEvent, mailEvents, mailStreams } from '#services/framework/streams/mail.ts'
import { change, type EventDescriptions } from '#services/framework/event-description.ts'

const mailDescriptions = {
  MailSent: {
    title: 'Mail sent',
    category: 'installation',
    changes: ({ data }) => [change('mail.about', null, data.kind), change('mail.stream', null, data.stream)],
  },
} as const satisfies EventDescriptions<MailEvent>

/** Mails: the half that runs anywhere. */
export const mailSubject = subject({
  title: 'Mails',
  about: 'The mails that were sent',
  events: mailEvents,
  aggregates: [mailStreams],
  descriptions: mailDescriptions,
  shown: {
    mail: {
      fields: {
        about: { label: 'About', kind: 'text', ofAction: true },
        stream: { label: 'Stream', kind: 'text', ofAction: true },
      },
    },
  },
  categories: {},
  routes: {},
})
