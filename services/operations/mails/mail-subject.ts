import { subject } from '#services/framework/subject.ts'
import { mailDescriptions } from '#services/framework/streams/mail-descriptions.ts'
import { mailEvents, mailStreams } from '#services/framework/streams/mail.ts'

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
