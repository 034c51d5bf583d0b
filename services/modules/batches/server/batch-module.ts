import { parseStreamName } from '#services/event-sourcing/aggregate-type.ts'
import { accounts } from '#services/modules/account-aggregate.ts'
import { accountOf, batchId } from '#services/modules/ids.ts'
import type { Module } from '#services/modules/module.ts'
import { batches as batchStreams, removeItem } from '../batch.ts'
import { batches, firmAccount } from '../batch-read-model.ts'
import { batchSubject } from '../batch-subject.ts'
import { batchCommands } from './batch-commands.ts'
import { whyGone } from './batch-plan.ts'
import { batchQueries } from './batch-queries.ts'
import { createBatchWork } from './batch-work.ts'

const idOf = ({ stream }: { readonly stream: string }) => batchId.parse(parseStreamName(stream).id)

export const batchModule: Module<typeof batchSubject> = {
  subject: batchSubject,
  commands: batchCommands,
  queries: batchQueries,
  readModels: [batches, firmAccount],
  mails: {},
  policies: {
    BatchMade: (event, context, { repositories }) => createBatchWork(repositories).enter(idOf(event), context),
    BatchReleaseBegun: (event, context, { repositories }) =>
      createBatchWork(repositories).finishRelease(idOf(event), context),
    BatchCancelled: (event, context, { repositories }) => createBatchWork(repositories).leave(idOf(event), context),
    PaymentBatched: ({ data: { batch, ...item } }, context, { repositories }) =>
      createBatchWork(repositories).leaveIfUnwanted(batchId.parse(batch), item, context),
    PaymentUnbatched: async ({ data: { payoutId, batch, reference } }, context, { repositories }) => {
      const payout = (await repositories.of(accounts).load(accountOf(payoutId))).state.payouts.list.get(payoutId)
      await repositories
        .of(batchStreams)
        .decide(batchId.parse(batch), context, (state) => removeItem(state, reference, whyGone(payout)))
    },
    PaymentCancelled: async ({ data: { payoutId } }, context, { repositories }) => {
      const payout = (await repositories.of(accounts).load(accountOf(payoutId))).state.payouts.list.get(payoutId)
      const { batch, reference } = payout?.payment ?? {}
      if (!batch || !reference) return
      await repositories
        .of(batchStreams)
        .decide(batchId.parse(batch), context, (state) => removeItem(state, reference, whyGone(payout)))
    },
  },
  // The fields of a person lie in the streams of accounts; a file with an erased person is not made any more.
  erase: null,
}
