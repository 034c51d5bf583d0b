import { z } from 'zod'
import { parseStreamName } from '#services/event-sourcing/aggregate-type.ts'
import { updateExisting, projection } from '#services/event-sourcing/read-models/projection.ts'
import { stamp, stampOf } from '#services/framework/decision-stamp.ts'
import { payoutId } from '#services/framework/ids.ts'
import { centsAmount, toCents } from '#services/rules/money.ts'
import { batchCurrencies, batchFormats, batchStates, FILE_VERSION } from './batch-vocabulary.ts'
import { firmAccountFields, firmAccountEvents } from './firm-account.ts'
import { batchEvents, fileTerms } from './batch.ts'
import { payoutEvents } from '#services/trading/stream/payout.ts'

const item = z.object({ payoutId, reference: z.string(), amount: centsAmount })
const account = z.object(firmAccountFields)

const document = z.object({
  id: z.string(),
  state: z.enum(batchStates),
  format: z.enum(batchFormats),
  currency: z.enum(batchCurrencies),
  rate: z.string().nullable(),
  rateSource: z.string().nullable(),
  items: z.array(item),
  removed: z.array(item.extend({ reason: z.string() })),
  maker: z.string(),
  made: stamp,
  releaser: z.string().nullable(),
  released: stamp.nullable(),
  payer: account.nullable(),
  /** The moment that the file carries, in ms since 1970; 0 before the release. */
  fileAt: z.number(),
  fileVersion: z.union([z.literal(1), z.literal(FILE_VERSION)]),
  /** The file's names for coins and networks. */
  codes: z.record(z.string(), z.string()),
  sha256: z.string().nullable(),
  sha256ForPeople: z.string().nullable(),
})

export type BatchDocument = z.infer<typeof document>

/** One document per batch. */
export const batches = projection(
  { ...batchEvents, ...payoutEvents },
  {
    name: 'batches',
    version: 4,
    document,
    filters: ['state'],
    documentId: (event) => (event.type === 'PaymentUnbatched' ? event.data.batch : parseStreamName(event.stream).id),
    on: {
      BatchMade: (_, event): BatchDocument => {
        const { format, currency, rate, rateSource, items, member } = event.data
        return {
          id: parseStreamName(event.stream).id,
          state: 'open',
          format,
          currency,
          rate,
          rateSource,
          items: items.map(({ amount, ...each }) => ({ ...each, amount: toCents(amount) })),
          removed: [],
          maker: member,
          made: stampOf(event),
          releaser: null,
          released: null,
          payer: null,
          fileAt: 0,
          fileVersion: FILE_VERSION,
          codes: {},
          sha256: null,
          sha256ForPeople: null,
        }
      },
      // The stream of the account decides, and the batch is told: a page need not wait for that.
      PaymentUnbatched: (batch, { data }) => {
        if (!batch) throw new Error('there is no batch to change')
        return batch.state === 'open' ? without(batch, data.reference, 'It left the batch') : batch
      },
      BatchItemRemoved: updateExisting((batch, { data }) => without(batch, data.reference, data.reason)),
      BatchReleaseBegun: updateExisting((batch, event) => ({
        ...batch,
        releaser: event.data.member,
        released: stampOf(event),
        ...fileTerms(event.data, event.at),
      })),
      BatchReleased: updateExisting((batch, { data }) => ({
        ...batch,
        state: 'released',
        sha256: data.sha256,
        sha256ForPeople: data.sha256ForPeople ?? null,
      })),
      BatchCancelled: updateExisting((batch) => ({ ...batch, state: 'cancelled' })),
    },
  },
)

function without(batch: BatchDocument, reference: string, reason: string): BatchDocument {
  const gone = batch.items.find((each) => each.reference === reference)
  if (gone) {
    const items = batch.items.filter((each) => each !== gone)
    return { ...batch, items, removed: [...batch.removed, { ...gone, reason }] }
  }
  return { ...batch, removed: batch.removed.map((each) => (each.reference === reference ? { ...each, reason } : each)) }
}

/** One document: the account that the firm pays from. */
export const firmAccount = projection(firmAccountEvents, {
  name: 'firm-account',
  version: 1,
  document: account,
  documentId: ({ stream }) => parseStreamName(stream).id,
  on: { FirmAccountChanged: (_, { data }) => data.to },
})
