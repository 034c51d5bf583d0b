import { subject } from '#services/modules/subject.ts'
import { bookedEntryEvents } from './booked-entry.ts'
import { ledgerRoutes } from './ledger-api.ts'
import { ledgerDescriptions } from './ledger-descriptions.ts'
import { ledgerPart } from './ledger-part.ts'

/** Ledgers: the half that runs anywhere. Most events that move a balance are those of accounts and payouts. */
export const ledgerSubject = subject({
  title: 'Ledgers',
  about: 'What moved the money of accounts',
  events: bookedEntryEvents,
  aggregates: [],
  descriptions: ledgerDescriptions,
  shown: { ledger: ledgerPart },
  categories: {},
  permissions: {},
  routes: ledgerRoutes,
})
