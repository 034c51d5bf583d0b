import { subject } from '#services/framework/subject.ts'
import { systemRoutes } from './installation-api.ts'
import {
  type InstallationEvent,
  installationEvents,
  installationStreams,
} from '#services/framework/streams/installation.ts'
import { type MailEvent, mailEvents, mailStreams } from '#services/framework/streams/mail.ts'
import { change, type EventDescriptions } from '#services/framework/event-description.ts'

const installationDescriptions = {
  InstallationFounded: { title: 'Portal set up', category: 'installation' },
  MailBegan: { title: 'Mail started', category: 'installation' },
  RetryRequested: { title: 'Retry requested', category: 'installation' },
  MasterKeyRotated: { title: 'Master key rotated', category: 'installation' },
  MailSent: {
    title: 'Mail sent',
    category: 'installation',
    changes: ({ data }) => [change('mail.about', null, data.kind), change('mail.stream', null, data.stream)],
  },
} as const satisfies EventDescriptions<InstallationEvent | MailEvent>

/** Installation: the half that runs anywhere. */
export const installationSubject = subject({
  title: 'Installation',
  about: 'The state of the portal, and the mails that it sent',
  events: { ...installationEvents, ...mailEvents },
  aggregates: [installationStreams, mailStreams],
  descriptions: installationDescriptions,
  shown: {
    mail: {
      fields: {
        about: { label: 'About', kind: 'text', ofAction: true },
        stream: { label: 'Stream', kind: 'text', ofAction: true },
      },
    },
  },
  categories: { installation: { label: 'Installation and mail', group: 'firm', staffOnly: true, isDecision: false } },
  routes: systemRoutes,
})
