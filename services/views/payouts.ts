import { z } from 'zod'
import { ownerOf } from '../domain/ids.ts'
import { payoutMethod, payoutStatus } from '../domain/payout.ts'
import { existing, sealedFields, sealedFieldsOf, view } from './view.ts'

const document = z.object({
  id: z.string(),
  userId: z.string(),
  /** Cents. */
  amount: z.int(),
  method: payoutMethod,
  /** Where the money goes, encrypted. */
  details: sealedFields,
  status: payoutStatus,
  /** Null until decided, and when the verdict came without notes. */
  adminNotes: z.string().nullable(),
  createdAt: z.int(),
  decidedAt: z.int().nullable(),
})

export type PayoutDocument = z.infer<typeof document>

/** One document a payout: the trader's history and the administrator's table. */
export const payouts = view({
  name: 'payouts',
  version: 1,
  document,
  indexes: [{ userId: 1, created: -1 }, { status: 1, created: -1 }, { created: -1 }, { amount: 1 }, { createdAt: 1 }],
  search: ['id'],
  key: (fact) => fact.data.payoutId,
  on: {
    PayoutRequested: (_, fact): PayoutDocument => ({
      id: fact.data.payoutId,
      userId: ownerOf(fact.data.payoutId),
      amount: fact.data.amount,
      method: fact.data.method,
      details: sealedFieldsOf(fact),
      status: 'pending',
      adminNotes: null,
      createdAt: fact.at,
      decidedAt: null,
    }),
    PayoutApproved: existing((payout, { data, at }) => ({ ...payout, status: 'approved', adminNotes: data.notes || null, decidedAt: at })),
    PayoutRejected: existing((payout, { data, at }) => ({ ...payout, status: 'rejected', adminNotes: data.notes || null, decidedAt: at })),
  },
})
