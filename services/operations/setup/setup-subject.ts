import { change, type EventDescriptions } from '#services/framework/event-description.ts'
import { subject } from '#services/framework/subject.ts'
import { setupRoutes } from './setup-api.ts'
import { type SetupEvent, setupEvents, setupStreams } from './setup.ts'

const setupDescriptions = {
  SetupDismissed: { title: 'Checklist of the first week dismissed', category: 'installation' },
  MailTested: {
    title: 'Mail tested',
    category: 'installation',
    changes: ({ data }) => [change('setup.outcome', null, data.outcome)],
  },
} as const satisfies EventDescriptions<SetupEvent>

/** The checklist of the first week: the half that runs anywhere. */
export const setupSubject = subject({
  title: 'First week',
  about: 'What a firm sets up first, and the test of its mail',
  events: setupEvents,
  aggregates: [setupStreams],
  descriptions: setupDescriptions,
  shown: { setup: { fields: { outcome: { label: 'Outcome', kind: 'text', ofAction: true } } } },
  routes: setupRoutes,
})
