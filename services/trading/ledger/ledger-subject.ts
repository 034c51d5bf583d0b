import { subject } from '#services/framework/subject.ts'
import { ledgerRoutes } from './ledger-api.ts'
import { ledgerPart } from './ledger-part.ts'

/** Ledgers: the half that runs anywhere. The events that move a balance are those of accounts and payouts. */
export const ledgerSubject = subject({
  title: 'Ledgers',
  about: 'What moved the money of accounts',
  shown: { ledger: ledgerPart },
  routes: ledgerRoutes,
})
