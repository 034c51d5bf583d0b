import type { PaymentsParts } from '#services/payments/parts.ts'
import { parseStreamName } from '#services/event-sourcing/aggregate-type.ts'
import { batchId } from '#services/framework/ids.ts'
import type { BatchEvent } from '../batch.ts'
import type { PayoutEvent } from '#services/trading/stream/payout.ts'
import type { Module } from '#services/framework/module.ts'
import { batches, firmAccount } from '../batch-read-model.ts'
import { batchSubject } from '../batch-subject.ts'
import { batchCommands } from './batch-commands.ts'
import { batchQueries } from './batch-queries.ts'
import { createBatchWork } from './batch-work.ts'

const idOf = ({ stream }: { readonly stream: string }) => batchId.parse(parseStreamName(stream).id)

export const batchModule: Module<typeof batchSubject, PaymentsParts, BatchEvent | PayoutEvent> = {
  subject: batchSubject,
  commands: batchCommands,
  queries: batchQueries,
  readModels: [batches, firmAccount],
  policies: {
    BatchMade: async (event, context, { repositories }) =>
      (await createBatchWork(repositories).enter(idOf(event), context)).position,
    BatchReleaseBegun: async (event, context, { repositories }) =>
      (await createBatchWork(repositories).finishRelease(idOf(event), context)).position,
    BatchCancelled: async (event, context, { repositories }) =>
      (await createBatchWork(repositories).leave(idOf(event), context)).position,
    PaymentBatched: ({ data: { batch, ...item } }, context, { repositories }) =>
      createBatchWork(repositories).leaveIfUnwanted(batchId.parse(batch), item, context),
    PaymentUnbatched: ({ data: { payoutId, batch, reference } }, context, { repositories }) =>
      createBatchWork(repositories).takeOut(payoutId, { batch, reference }, context),
    PaymentCancelled: ({ data: { payoutId } }, context, { repositories }) =>
      createBatchWork(repositories).takeOut(payoutId, 'present', context),
  },
  // The fields of a person lie in the streams of accounts; a file with an erased person is not made any more.
  erase: null,
}
