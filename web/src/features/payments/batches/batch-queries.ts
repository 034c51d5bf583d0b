import { queryOptions, skipToken } from '@tanstack/react-query'
import type { z } from 'zod'
import {
  ANSWER_FIELD,
  type AnswerRow,
  type AnswerUpload,
  type Batch,
  type BatchDetails,
  batchRoutes,
  type CoinCodesChange,
  type FirmAccountChange,
  type ListedBatch,
  type NewBatch,
} from '#services/payments/batches/batch-api.ts'
import type { AdminPayout } from '#services/payments/payouts/payout-api.ts'
import type { PayoutMethod } from '#services/trading/stream/payout-fields.ts'
import { addressOf, getFile, type QueryOf, send, sendAndParse, sendForm } from '@/api/api.ts'
import { pageQuery, queryParts, routeQuery } from '@/api/route-query.ts'
import { payoutsQuery } from '@/features/payments/payouts/staff-payout-queries.ts'
import { paymentStateLabels } from '#services/trading/stream/payout-vocabulary.ts'
import { counted, formatCount } from '@/format/counts.ts'
import { formatAmount } from '@/format/money.ts'
import { type Address, ROWS } from '@/lists/list-query.ts'
import { staffChange } from '@/features/frame/staff-change.ts'

/** Batches of payments, and what banks answer. */

const subjects = ['batches', 'payouts', 'users'] as const

type BatchPage = QueryOf<typeof batchRoutes.batches>

/** The page of batches that an address of /admin/payouts/batches names. */
export function batchPageOf({ size = ROWS, ...rest }: Address<'status' | 'size' | 'cursor'>): BatchPage {
  return { ...rest, limit: size }
}

export const batchesQuery = (query: BatchPage) => pageQuery(batchRoutes.batches, { query, subjects })

export const batchQuery = (id: string) => routeQuery(batchRoutes.batch, { params: { id }, subjects })

export const firmAccountQuery = routeQuery(batchRoutes.firmAccount, { subjects: ['batches'] })

export const coinCodesQuery = routeQuery(batchRoutes.coinCodes, { subjects: ['batches'] })

/** A batch may take payments in these states: those that are to be made, and those that did not arrive. */
export const owedStates = ['open', 'failed', 'returned'] as const

/** The approved payouts of a method whose payment is in a state, the oldest first; as many as a page has. */
export const owedPayoutsQuery = (method: PayoutMethod, payment: (typeof owedStates)[number]) =>
  payoutsQuery({ payment, method, sort: 'createdAt', limit: 1000 })

/** '2 payments, 5,888.00 EUR' */
export function batchInWords({ count, total, currency }: Pick<Batch, 'count' | 'total' | 'currency'>): string {
  return `${counted(count, 'payment')}, ${formatAmount(total, currency)}`
}

/** 'Settled: all 8 are paid', 'Settled: 7 of 8 are paid, 1 left this batch', '6 of 8 paid, 1 failed, 1 sent' */
export function paidInWords({ settled, count, payments }: Pick<ListedBatch, 'settled' | 'count' | 'payments'>): string {
  const paid = payments.find(({ state }) => state === 'paid')?.count ?? 0
  const elsewhere = count - payments.reduce((sum, each) => sum + each.count, 0)
  const moved = elsewhere === 0 ? [] : [`${formatCount(elsewhere)} left this batch`]
  if (settled && elsewhere > 0)
    return [`Settled: ${formatCount(paid)} of ${formatCount(count)} are paid`, ...moved].join(', ')
  if (settled) return count === 1 ? 'Settled: it is paid' : `Settled: all ${formatCount(count)} are paid`
  const others = payments.filter((each) => each.state !== 'paid' && each.count > 0)
  return [
    `${formatCount(paid)} of ${formatCount(count)} paid`,
    ...others.map((each) => `${formatCount(each.count)} ${paymentStateLabels[each.state].toLowerCase()}`),
    ...moved,
  ].join(', ')
}

/** The content of the file of an open batch, as a release makes it. It is read again when a payment has left. */
export const previewQuery = ({ id, items }: Pick<BatchDetails, 'id' | 'items'>) =>
  queryOptions({
    ...queryParts(batchRoutes.batchPreview, {
      params: { id },
      subjects: [],
      alsoKey: items.map(({ reference }) => reference),
    }),
    queryFn: ({ signal }) => getFile(batchRoutes.batchPreview, { params: { id }, query: {} }, signal),
  })

/** The address of a file of a released batch. */
export const fileOfBatch = (id: string, reader: 'programs' | 'people') =>
  addressOf(batchRoutes.batchFile, { params: { id }, query: { for: reader } })

/** A batch as it is asked for. */
type BatchToMake = Omit<z.input<typeof NewBatch>, 'payouts'> & { readonly payouts: readonly AdminPayout[] }

export const makeBatch = staffChange({
  send: ({ payouts, ...terms }: BatchToMake) =>
    sendAndParse(batchRoutes.makeBatch, { body: { ...terms, payouts: payouts.map(({ id }) => id) } }),
  done: (_, batch) => ['Batch made', `${batchInWords(batch)}.`],
  failed: () => 'The batch was not made',
})

export const releaseBatch = staffChange({
  send: (id: string) => sendAndParse(batchRoutes.releaseBatch, { params: { id } }),
  done: (_, batch) => ['Batch released', `${batchInWords(batch)}. Take its file now.`],
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

export const changeCoinCodes = staffChange({
  send: (body: z.input<typeof CoinCodesChange>) => send(batchRoutes.changeCoinCodes, { body }),
  done: () => ['Codes saved', 'The next file for wallets has them.'],
  failed: () => 'The codes were not saved',
})

/** The file of answers that was read last, in this tab: to read it again shows the same, and changes nothing. */
export const lastAnswersQuery = queryOptions<ReadAnswers>({
  queryKey: ['admin', 'last answers'],
  queryFn: skipToken,
  meta: { session: 'admin' },
  gcTime: Infinity,
})

export interface ReadAnswers {
  readonly name: string
  readonly rows: readonly AnswerRow[]
}

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
