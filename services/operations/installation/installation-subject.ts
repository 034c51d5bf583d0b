import { subject } from '#services/framework/subject.ts'
import { systemRoutes } from './installation-api.ts'
import { installationDescriptions } from '#services/framework/streams/installation-descriptions.ts'
import { installationEvents, installationStreams } from '#services/framework/streams/installation.ts'

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
