import { Money, money } from '#services/framework/api/money.ts'
import { described, namedObject } from '#services/framework/api/openapi-component.ts'
import {
  answer,
  conflict,
  CSV_TYPE,
  file,
  get,
  notFound,
  post,
  throttled,
  accountPath,
} from '#services/framework/api/route.ts'
import {
  LONGEST_NOTE,
  missingOrInvalid,
  namedRequest,
  requiredNote,
  requiredText,
} from '#services/framework/api/text.ts'
import { OwnAccountQuery } from '#services/trading/accounts/account-api.ts'
import { z } from 'zod'
import { bookedKinds, entryKinds } from '#services/trading/stream/ledger-vocabulary.ts'

/** The entries that moved the money of an account, each with its event. */

export const LedgerEntry = namedObject('LedgerEntry', {
  kind: z.enum(entryKinds),
  amount: Money,
  currency: z.literal('USD'),
  at: z.iso.datetime(),
  payoutId: z.string().nullable(),
  balance: described('After the entry: the sum of all entries so far', Money),
  reference: described('Reference of an entry that staff booked; null for any other', z.string().nullable()),
  reason: described('Why staff booked it; null of any other', z.string().nullable()),
  event: described('The number of the event that made it', z.int().positive()),
  explained: described(
    'Part of a typed or reported balance that payouts explain: deducted since the last such balance, and perhaps not booked by the platform yet; null for any other entry',
    Money.nullable(),
  ),
  unexplained: described('The rest: the trading result, or a mistake', Money.nullable()),
})
export type LedgerEntry = z.infer<typeof LedgerEntry>

/** The sums of a ledger at a moment. */
export const AuditLedger = namedObject('AuditLedger', {
  entries: z.int().nonnegative(),
  deposits: Money,
  tradeResults: Money,
  corrections: Money,
  fees: Money,
  credits: Money,
  payouts: Money,
  payoutsReversed: Money,
  forfeits: Money,
  sum: Money,
})

/** POST /api/admin/accounts/:id/ledger */
export const NewEntry = namedRequest('NewEntry', {
  kind: z.enum(bookedKinds, { error: missingOrInvalid }),
  amount: described(
    'Change of the balance: below 0 for a fee, above 0 for a deposit',
    money({ subject: 'Amount', most: 100_000_000 }),
  ),
  reference: described(
    'Reference of the booking at the platform, or of the paper behind it: unique in the account, so that the same again books nothing',
    requiredText(140),
  ),
  reason: requiredNote(LONGEST_NOTE),
})

const BookedEntry = namedObject('BookedEntry', {
  kind: LedgerEntry.shape.kind,
  amount: Money,
  balance: LedgerEntry.shape.balance,
  reference: z.string(),
})

const entries = answer('The entries, oldest first', LedgerEntry.array())

/** The calls about ledgers. */
export const ledgerRoutes = {
  ledger: get('/api/admin/accounts/:id/ledger', 'read', {
    summary: 'What moved the money of an account, oldest first; the sum of all entries is the balance',
    params: accountPath,
    position: 'waits',
    answer: entries,
  }),
  bookEntry: post('/api/admin/accounts/:id/ledger', 'change-accounts', {
    summary: 'Book a fee, a credit, a deposit or a correction; the balance follows, and it is no profit',
    params: accountPath,
    body: NewEntry,
    answer: answer('The entry, also where it was booked before', BookedEntry),
    status: 201,
    refuses: conflict,
  }),
  ledgerExport: get('/api/admin/accounts/:id/ledger.csv', 'export', {
    summary: 'The ledger of an account as CSV',
    params: accountPath,
    position: 'waits',
    answer: file(CSV_TYPE),
    refuses: throttled,
  }),
  ownLedger: get('/api/user/ledger', 'trader', {
    summary: "What moved the money of the trader's own account, oldest first",
    query: OwnAccountQuery,
    position: 'waits',
    answer: entries,
    refuses: notFound,
  }),
  ownLedgerExport: get('/api/user/ledger.csv', 'trader', {
    summary: "The ledger of the trader's own account as CSV",
    query: OwnAccountQuery,
    position: 'waits',
    answer: file(CSV_TYPE),
    refuses: { ...notFound, ...throttled },
  }),
}
