import { ledgerRoutes } from './ledger-api.ts'
import { ledgerPart } from './ledger-part.ts'
import { taskRoutes } from './task-api.ts'
import { accountStreams } from '#services/trading/stream/account-aggregate.ts'
import { subject } from '#services/framework/subject.ts'
import { accountPart } from './account-part.ts'
import { accountRoutes } from './account-api.ts'
import { accountChangeRoutes } from './account-change-api.ts'
import { accountDescriptions, loginClaimDescriptions } from '#services/trading/stream/account-descriptions.ts'
import { accountEvents } from '#services/trading/stream/account.ts'
import { type BookedEntryEvent, bookedEntryEvents } from '#services/trading/stream/booked-entry.ts'
import { stagePart } from './stage-part.ts'
import { loginClaimEvents, loginClaims } from '#services/trading/stream/login-claim.ts'
import { toDecimal } from '#services/rules/money.ts'
import { change, type EventDescriptions } from '#services/framework/event-description.ts'

export const bookedEntryDescriptions = {
  EntryBooked: {
    title: 'Entry booked',
    category: 'balance',
    changes: ({ data: { from, to, kind, reference } }) => [
      change('ledger.kind', null, kind),
      change('ledger.amount', null, toDecimal(to - from)),
      change('ledger.reference', null, reference),
      change('account.balance', toDecimal(from), toDecimal(to)),
    ],
    reason: ({ reason }) => reason,
  },
} as const satisfies EventDescriptions<BookedEntryEvent>

/** Accounts: the half that runs anywhere. */
export const accountSubject = subject({
  title: 'Accounts',
  about: 'Trading accounts, how they got where they are, and what staff have to do on the platform',
  // An entry that staff book is news of its account, as any other change of the balance.
  events: { ...accountEvents, ...bookedEntryEvents, ...loginClaimEvents },
  aggregates: [accountStreams, loginClaims],
  descriptions: { ...accountDescriptions, ...bookedEntryDescriptions, ...loginClaimDescriptions },
  shown: {
    account: accountPart,
    stage: stagePart,
    passedStage: { fields: { name: { label: 'Stage', kind: 'text', ofAction: true } } },
    platformAccount: { fields: { login: { label: 'Login', kind: 'text', ofAction: true } } },
    ledger: ledgerPart,
    history: { fields: { format: { label: 'File', kind: 'text', ofAction: true } } },
  },
  categories: {
    status: { label: 'Account status', group: 'account', staffOnly: false, isDecision: true },
    phase: { label: 'Phase', group: 'account', staffOnly: false, isDecision: true },
    balance: { label: 'Balance and profit/loss', group: 'account', staffOnly: false, isDecision: false },
    limits: { label: 'Limits', group: 'account', staffOnly: false, isDecision: true },
    eligibility: { label: 'Payout eligibility', group: 'account', staffOnly: false, isDecision: true },
    platform: { label: 'Platform and login', group: 'account', staffOnly: false, isDecision: true },
    logins: { label: 'Claims on platform logins', group: 'account', staffOnly: true, isDecision: false },
    disclosures: {
      label: 'Passwords shown, and downloads by staff',
      group: 'account',
      staffOnly: false,
      isDecision: true,
    },
  },
  routes: { ...accountRoutes, ...accountChangeRoutes, ...ledgerRoutes, ...taskRoutes },
})
