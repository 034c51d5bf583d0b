import { subject } from '#services/modules/subject.ts'
import { systemRoutes } from './installation-api.ts'
import { installationDescriptions } from './installation-descriptions.ts'
import { installationEvents, installations } from './installation.ts'

/** Installation: the half that runs anywhere. */
export const installationSubject = subject({
  title: 'Installation',
  about: 'The state of the portal',
  events: installationEvents,
  aggregates: [installations],
  descriptions: installationDescriptions,
  shown: {},
  categories: { installation: { label: 'Installation and mail', staffOnly: true, isDecision: false } },
  permissions: { operate: { label: 'Retry what could not be processed', roles: ['admin'] } },
  routes: systemRoutes,
})
