import { subject, type Subject } from '#services/framework/subject.ts'
import { offerRoutes } from './offer-api.ts'
import { programmeRoutes } from './programme-api.ts'
import { programmeDraftRoutes } from './programme-draft-api.ts'
import { TermsGiven } from './terms-api.ts'
import { answeredTerms, givenTerms } from './late-terms-api.ts'
import { programmeTerms } from '#services/rules/programme.ts'
import { type OfferEvent, offerEvents, offerStreams } from './firm-offers.ts'
import { type ProgrammeEvent, programmeEvents, programmeStreams } from './programme.ts'
import { change, type EventDescriptions } from '#services/framework/event-description.ts'

const category = 'programmes'

answeredTerms.complete(programmeTerms)
givenTerms.complete(TermsGiven)

const programmeDescriptions = {
  ProgrammeDrafted: {
    title: 'Version of a programme drafted',
    category,
    changes: ({ data }) => [
      change('programme.version', null, String(data.version)),
      change('programme.name', null, data.terms.name),
      change('programme.hash', null, data.hash),
    ],
  },
  ProgrammeDraftChanged: {
    title: 'Draft of a programme changed',
    category,
    changes: ({ data }) => [
      change('programme.version', null, String(data.version)),
      change('programme.hash', null, data.hash),
    ],
  },
  ProgrammeTrialRequested: {
    title: 'What-if of a programme requested',
    category,
    changes: ({ data }) => [
      change('programme.version', null, String(data.version)),
      change('programme.hash', null, data.hash),
    ],
  },
  ProgrammeTried: {
    title: 'What-if of a programme computed',
    category,
    changes: ({ data }) => [
      change('programme.version', null, String(data.version)),
      change('programme.accounts', null, String(data.accounts)),
      change('programme.differences', null, String(data.differences)),
    ],
  },
  ProgrammePublished: {
    title: 'Programme published',
    forEverybody: true,
    category,
    changes: ({ data }) => [
      change('programme.version', null, String(data.version)),
      change('programme.hash', null, data.hash),
    ],
  },
  ProgrammeRetired: {
    title: 'Version of a programme retired',
    forEverybody: true,
    category,
    changes: ({ data }) => [change('programme.version', null, String(data.version))],
  },
  OfferChanged: {
    title: 'Offer on the page to buy an account changed',
    forEverybody: true,
    category,
    changes: ({ data: { programme, from, to } }) => [
      change('offer.programme', from && programme, to && programme),
      change('offer.price', from?.price || null, to?.price || null),
      change('offer.purchaseUrl', from?.purchaseUrl ?? null, to?.purchaseUrl ?? null),
      change('offer.place', from && String(from.place + 1), to && String(to.place + 1)),
    ],
  },
} as const satisfies EventDescriptions<ProgrammeEvent | OfferEvent>

/** The fields that these events name. */
const programmeShown = {
  programme: {
    fields: {
      version: { label: 'Version', kind: 'text', ofAction: true },
      name: { label: 'Name', kind: 'text', ofAction: true },
      hash: { label: 'SHA-256 of the terms', kind: 'text', ofAction: true },
      accounts: { label: 'Accounts compared', kind: 'text', ofAction: true },
      differences: { label: 'Accounts with another outcome', kind: 'text', ofAction: true },
    },
  },
  offer: {
    fields: {
      programme: { label: 'Offered programme', kind: 'text', ofAction: true },
      price: { label: 'Price', kind: 'text', ofAction: true },
      purchaseUrl: { label: 'Purchase link', kind: 'text', ofAction: true },
      place: { label: 'Place on the page', kind: 'text', ofAction: true },
    },
  },
} as const satisfies Subject['shown']

/** Programmes: the half that runs anywhere. */
export const programmeSubject = subject({
  title: 'Programmes',
  about: 'The terms that the firm offers, in versions, and what it sells',
  events: { ...programmeEvents, ...offerEvents },
  aggregates: [programmeStreams, offerStreams],
  descriptions: programmeDescriptions,
  shown: programmeShown,
  categories: { programmes: { label: 'Programmes', group: 'trading', staffOnly: true, isDecision: true } },
  routes: { ...programmeRoutes, ...programmeDraftRoutes, ...offerRoutes },
})
