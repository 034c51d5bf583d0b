import { z } from 'zod'
import { ownerOf } from '../domain/ids.ts'
import { payoutMethod, payoutStatus } from '../domain/payout/payout.ts'
import { stampOf, stampOrNone } from './decision-stamp.ts'
import { type RecordedEventOf, defineProjection } from './define-projection.ts'
import { encryptedFields, encryptedFieldsOf, updateExisting } from '../event-sourcing/projections/projection.ts'

const document = z.object({
  id: z.string(),
  userId: z.string(),
  /** Cents. */
  amount: z.int(),
  method: payoutMethod,
  /** Where the money goes, encrypted. */
  details: encryptedFields,
  status: payoutStatus,
  /** Null until decided, and when the verdict came without notes. */
  adminNotes: z.string().nullable(),
  createdAt: z.int(),
  decidedAt: z.int().nullable(),
  requested: stampOrNone,
  decided: stampOrNone,
})

export type PayoutDocument = z.infer<typeof document>

/** One document a payout: the trader's history and the administrator's table. */
export const payouts = defineProjection({
  name: 'payouts',
  version: 3,
  document,
  filters: ['userId', 'status'],
  sorts: ['createdAt', 'amount', 'status'],
  search: ['id'],
  documentId: (fact) => fact.data.payoutId,
  on: {
    PayoutRequested: (_, fact): PayoutDocument => ({
      id: fact.data.payoutId,
      userId: ownerOf(fact.data.payoutId),
      amount: fact.data.amount,
      method: fact.data.method,
      details: encryptedFieldsOf(fact),
      status: 'pending',
      adminNotes: null,
      createdAt: fact.at,
      decidedAt: null,
      requested: stampOf(fact),
      decided: null,
    }),
    PayoutApproved: updateExisting((payout, fact) => decidedBy(payout, fact, 'approved')),
    PayoutRejected: updateExisting((payout, fact) => decidedBy(payout, fact, 'rejected')),
  },
})

type PayoutDecision = RecordedEventOf<'PayoutApproved' | 'PayoutRejected'>

function decidedBy(payout: PayoutDocument, fact: PayoutDecision, status: PayoutDocument['status']): PayoutDocument {
  return { ...payout, status, adminNotes: fact.data.notes || null, decidedAt: fact.at, decided: stampOf(fact) }
}
