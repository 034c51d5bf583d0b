import { change, changesBetween, type EventDescriptions } from '#services/framework/event-description.ts'
import { subject, type Subject } from '#services/framework/subject.ts'
import { firmRoutes } from './firm-api.ts'
import { type FirmEvent, firmEvents, firmStreams } from './firm.ts'

const category = 'firm'

const firmDescriptions = {
  FirmChanged: {
    title: "Firm's name and colours changed",
    category,
    staffOnly: true,
    forEverybody: true,
    changes: ({ data: { from, to } }) => changesBetween('firm', from, to),
  },
  FirmLogoChanged: {
    title: "Firm's logo changed",
    category,
    staffOnly: true,
    forEverybody: true,
    changes: ({ data: { from, to } }) => [change('firm.logo', from, to?.sha256 ?? null)],
  },
} as const satisfies EventDescriptions<FirmEvent>

const firmShown = {
  firm: {
    fields: {
      name: { label: "Firm's name", kind: 'text' },
      accent: { label: 'Accent colour', kind: 'text' },
      supportEmail: { label: 'Support address', kind: 'text' },
      senderName: { label: 'Sender of mails', kind: 'text' },
      senderAddress: { label: "Sender's address", kind: 'text' },
      logo: { label: 'SHA-256 of the logo', kind: 'text' },
    },
  },
} as const satisfies Subject['shown']

/** The firm's name and colours: the half that runs anywhere. */
export const firmSubject = subject({
  title: 'Firm',
  about: "The firm's name, colours and logo, and whom people ask",
  events: firmEvents,
  aggregates: [firmStreams],
  descriptions: firmDescriptions,
  shown: firmShown,
  categories: { firm: { label: "Firm's name and colours", group: 'firm', staffOnly: true, isDecision: true } },
  routes: firmRoutes,
})
