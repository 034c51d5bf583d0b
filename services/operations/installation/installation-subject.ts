import { subject } from '#services/framework/subject.ts'
import { systemRoutes } from './installation-api.ts'
import {
  type InstallationEvent,
  installationEvents,
  installationStreams,
} from '#services/framework/streams/installation.ts'
import type { EventDescriptions } from '#services/framework/event-description.ts'

const installationDescriptions = {
  InstallationFounded: { title: 'Portal set up', category: 'installation' },
  MailBegan: { title: 'Mail started', category: 'installation' },
  RetryRequested: { title: 'Retry requested', category: 'installation' },
  MasterKeyRotated: { title: 'Master key rotated', category: 'installation' },
} as const satisfies EventDescriptions<InstallationEvent>

/** Installation: the half that runs anywhere. */
export const installationSubject = subject({
  title: 'Installation',
  about: 'The state of the portal',
  events: installationEvents,
  aggregates: [installationStreams],
  descriptions: installationDescriptions,
  shown: {},
  categories: { installation: { label: 'Installation and mail', staffOnly: true, isDecision: false } },
  routes: systemRoutes,
})
