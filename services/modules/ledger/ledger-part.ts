import { Money } from '#services/api/money.ts'
import { namedObject } from '#services/api/openapi-component.ts'
import { type RecordField, recordPart } from '#services/modules/shown-state.ts'
import { toDecimal } from '#services/money/money.ts'
import { z } from 'zod'
import type { Ledger } from './ledger.ts'

const field = (label: string, kind: RecordField['kind'] = 'profit'): RecordField => ({ label, kind, section: 'Ledger' })

/** The ledger of an account at a moment, as people read it: its sums. Its entries are the events themselves. */
export const ledgerPart = recordPart({
  schema: namedObject('AuditLedger', {
    entries: z.int().nonnegative(),
    deposits: Money,
    tradeResults: Money,
    corrections: Money,
    payouts: Money,
    payoutsReversed: Money,
    sum: Money,
  }),
  fields: {
    entries: field('Entries', 'text'),
    deposits: field('Deposits'),
    tradeResults: field('Trading results'),
    corrections: field('Corrections'),
    payouts: field('Payouts'),
    payoutsReversed: field('Payouts booked back'),
    sum: field('Sum of all entries', 'money'),
  },
  show: ({ entries, sum, sums }: Ledger) => ({
    entries,
    deposits: toDecimal(sums.deposit ?? 0),
    tradeResults: toDecimal(sums['trade-result'] ?? 0),
    corrections: toDecimal(sums.correction ?? 0),
    payouts: toDecimal(sums.payout ?? 0),
    payoutsReversed: toDecimal(sums['payout-reversed'] ?? 0),
    sum: toDecimal(sum),
  }),
})
