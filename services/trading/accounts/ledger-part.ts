import { type RecordField, recordPart } from '#services/framework/shown-state.ts'
import { toDecimal } from '#services/rules/money.ts'
import { AuditLedger } from './ledger-api.ts'
import type { Ledger } from '#services/trading/stream/ledger.ts'
import { entryKindLabels } from '#services/trading/stream/ledger-vocabulary.ts'

const field = (label: string, kind: RecordField['kind'] = 'profit'): RecordField => ({ label, kind, section: 'Ledger' })

/** The ledger of an account at a moment, as people read it: its sums. Its entries are the events themselves. */
export const ledgerPart = recordPart({
  schema: AuditLedger,
  fields: {
    entries: field('Entries', 'text'),
    deposits: field('Deposits'),
    tradeResults: field('Trading results'),
    corrections: field('Corrections'),
    fees: field('Fees'),
    credits: field('Credits'),
    payouts: field('Payouts'),
    payoutsReversed: field('Payouts booked back'),
    forfeits: field('Forfeits, less those booked back'),
    sum: field('Sum of all entries', 'money'),
  },
  onlyInChanges: {
    kind: { label: 'Entry', kind: 'choice', words: entryKindLabels, ofAction: true },
    amount: { label: 'Amount', kind: 'profit', ofAction: true },
    reference: { label: 'Reference', kind: 'text', ofAction: true },
  },
  show: ({ entries, sum, sums }: Ledger) => ({
    entries,
    deposits: toDecimal(sums.deposit ?? 0),
    tradeResults: toDecimal(sums['trade-result'] ?? 0),
    corrections: toDecimal(sums.correction ?? 0),
    fees: toDecimal(sums.fee ?? 0),
    credits: toDecimal(sums.credit ?? 0),
    payouts: toDecimal(sums.payout ?? 0),
    payoutsReversed: toDecimal(sums['payout-reversed'] ?? 0),
    forfeits: toDecimal((sums.forfeit ?? 0) + (sums['forfeit-reversed'] ?? 0)),
    sum: toDecimal(sum),
  }),
})
