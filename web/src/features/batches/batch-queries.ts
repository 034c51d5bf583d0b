import type { z } from 'zod'
import {
  ANSWER_FIELD,
  type AnswerUpload,
  batchRoutes,
  type FirmAccountChange,
  type NewBatch,
} from '#services/modules/batches/batch-api.ts'
import type { PayoutMethod } from '#services/modules/payouts/payout-api.ts'
import { addressOf, send, sendAndParse, sendForm } from '@/api/api.ts'
import { routeQuery } from '@/api/route-query.ts'
import { payoutsQuery } from '@/features/payouts/staff-payout-queries.ts'
import { staffChange } from '@/features/shell/staff-change.ts'

/** Batches of payments, and what banks answer. */

const subjects = ['batches', 'payouts', 'users'] as const

export const batchesQuery = routeQuery(batchRoutes.batches, { subjects })

export const batchQuery = (id: string) => routeQuery(batchRoutes.batch, { params: { id }, subjects })

export const firmAccountQuery = routeQuery(batchRoutes.firmAccount, { subjects: ['batches'] })

/** The approved payouts of a method that are to be paid, the oldest first; as many as a page has. */
export const openPayoutsQuery = (method: PayoutMethod) =>
  payoutsQuery({ payment: 'open', method, sort: 'createdAt', limit: 1000 })

/** The address of the file of a released batch. */
export const fileOfBatch = (id: string) => addressOf(batchRoutes.batchFile, { params: { id } })

export const makeBatch = staffChange({
  send: (body: z.input<typeof NewBatch>) => sendAndParse(batchRoutes.makeBatch, { body }),
  done: (_, { count, total, currency }) => ['Batch made', `${count} payments, ${total} ${currency}.`],
  failed: () => 'The batch was not made',
})

export const releaseBatch = staffChange({
  send: (id: string) => sendAndParse(batchRoutes.releaseBatch, { params: { id } }),
  done: (_, { count, total, currency }) => [
    'Batch released',
    `${count} payments, ${total} ${currency}. Take its file now.`,
  ],
  failed: () => 'The batch was not released',
})

export const cancelBatch = staffChange({
  send: (id: string) => send(batchRoutes.cancelBatch, { params: { id } }),
  done: () => ['Batch cancelled', 'Its payments are to be paid again.'],
  failed: () => 'The batch was not cancelled',
})

export const changeFirmAccount = staffChange({
  send: (body: z.input<typeof FirmAccountChange>) => send(batchRoutes.changeFirmAccount, { body }),
  done: ({ name }) => ["Firm's account saved", name],
  failed: () => "The firm's account was not saved",
})

export const recordAnswers = staffChange({
  send: ({ format, file }: z.infer<typeof AnswerUpload> & { readonly file: File }) => {
    const form = new FormData()
    form.append('format', format)
    form.append(ANSWER_FIELD, file)
    return sendForm(batchRoutes.recordAnswers, form)
  },
  done: (_, rows) => {
    const recorded = rows.filter(({ outcome }) => outcome === 'recorded').length
    return ['Answers read', `${recorded} of ${rows.length} recorded.`]
  },
  failed: () => 'The answers were not recorded',
})
