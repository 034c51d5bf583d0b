import type { TradingParts } from '#services/trading/parts.ts'
import type { AccountEvent } from '#services/trading/stream/account.ts'
import type { EnrolmentEvent } from '#services/identity/users/enrolment.ts'
import type { Module } from '#services/framework/module.ts'
import { enrolmentSubject } from '../enrolment-subject.ts'
import { parseStreamName } from '#services/event-sourcing/aggregate-type.ts'
import { orderId } from '#services/framework/ids.ts'
import { type OrderEvent, orderStreams } from '../order.ts'
import { userStreams } from '#services/identity/users/user.ts'
import { enrolmentQueries } from './enrolment-queries.ts'
import { beginStageOf, enrolTrader } from './enrol-trader.ts'
import { beginNextStage } from './pass-stage.ts'
import { enrolmentCommands } from './enrolment-commands.ts'
import { enrolmentMails } from './enrolment-mails.ts'

export const enrolmentModule: Module<
  typeof enrolmentSubject,
  TradingParts,
  OrderEvent | EnrolmentEvent | AccountEvent
> = {
  subject: enrolmentSubject,
  commands: enrolmentCommands,
  queries: enrolmentQueries,
  mails: enrolmentMails,
  policies: {
    // A program sends its order again until it has an answer. Should it never do so, the buyer is enrolled all the same.
    OrderAssigned: async ({ stream, data: { trader }, metadata: { actor } }, context, { repositories }) => {
      const order = orderId.parse(parseStreamName(stream).id)
      const [{ received }, user] = [
        (await repositories.of(orderStreams).load(order)).state,
        (await repositories.of(userStreams).load(trader)).state,
      ]
      if (received && user.exists)
        await enrolTrader(repositories, trader, { ...received, order }, { ...context, actor })
    },
    TraderEnrolled: ({ data }, context, { repositories }) => beginStageOf(repositories, data, 0, context),
    StagePassed: ({ data }, context, { repositories }) => beginNextStage(repositories, data, context),
  },
  // Only its terms are about a person, and they stay as decisions do.
  erase: null,
}
