import type { TradingParts } from '#services/trading/parts.ts'
import type { AccountEvent } from '#services/trading/stream/account.ts'
import type { EnrolmentEvent } from '#services/identity/users/enrolment.ts'
import type { Commands, Module, Queries } from '#services/framework/module.ts'
import { enrolmentSubject } from '../enrolment-subject.ts'
import { parseStreamName } from '#services/event-sourcing/aggregate-type.ts'
import { orderId } from '#services/framework/ids.ts'
import { type OrderEvent, orderStreams } from '#services/trading/orders/order.ts'
import type { UntakenOrderEvent } from '#services/trading/orders/untaken-order.ts'
import { acceptTerms, userStreams } from '#services/identity/users/user.ts'
import { beginStageOf, enrolmentAnswer, enrolTrader, versionOnOffer } from './enrol-trader.ts'
import { beginNextStage } from './pass-stage.ts'
import { enrolmentMails } from './enrolment-mails.ts'
import { done } from '#services/framework/http/serve-route.ts'
import type { OwnEnrolment } from '../own-enrolment-api.ts'
import { createOrderEnrolment } from './enrol-by-order.ts'
import { programmes } from '#services/programmes/programmes/programme-read-model.ts'
import { termsInWords } from '#services/rules/terms-in-words.ts'
import { ownUser } from '#services/trading/accounts/server/own-user.ts'
import { users } from '#services/trading/accounts/user-read-model.ts'
import { listedEnrolment } from '../listed-enrolment.ts'

export const enrolmentModule: Module<
  typeof enrolmentSubject,
  TradingParts,
  OrderEvent | UntakenOrderEvent | EnrolmentEvent | AccountEvent
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
    // Nobody needs to know any more who the buyer was.
    OrderSettled: async ({ personId }, _context, { personKeys }) => {
      if (personId !== undefined) await personKeys.destroy(personId)
    },
    TraderEnrolled: ({ data }, context, { repositories }) => beginStageOf(repositories, data, 0, context),
    StagePassed: ({ data }, context, { repositories }) => beginNextStage(repositories, data, context),
  },
  // Only its terms are about a person, and they stay as decisions do.
  erase: null,
}

/** Enrols traders. */
function enrolmentCommands(parts: TradingParts['commands']): Commands<typeof enrolmentSubject.routes> {
  const { repositories } = parts
  const orders = createOrderEnrolment(parts)
  return {
    enrolTrader: async ({ params, body, context }) => {
      const trader = params.id
      const version = await versionOnOffer(repositories, body.programme)
      const { enrolment, position } = await enrolTrader(
        repositories,
        trader,
        { ...version, accepted: null, order: null },
        context,
      )
      return { status: 201, body: enrolmentAnswer(trader, enrolment), position }
    },

    enrolByOrder: ({ body, context }) => orders.byProgram(body, context),

    enrolUntakenOrder: async ({ params: { id }, body, context }) => done(await orders.byStaff(id, body, context)),

    dismissUntakenOrder: async ({ params: { id }, body: { reason }, context }) =>
      done(await orders.dismiss(id, reason, context)),

    acceptTerms: async ({ caller: { userId }, params, body, context }) => {
      const { position } = await repositories
        .of(userStreams)
        .decide(userId, context, (user) => acceptTerms(user, params.id, body.hash))
      return done(position)
    },
  }
}

/** A trader's own enrolments. */
function enrolmentQueries(parts: TradingParts['queries']): Queries<typeof enrolmentSubject.routes> {
  const { readModels } = parts
  return {
    ownEnrolments: {
      needs: [users, programmes],
      handle: async ({ caller: { userId } }) => {
        const { enrolments } = await ownUser(parts, userId)
        const found = await readModels.getMany(programmes, [...new Set(enrolments.map(({ programme }) => programme))])
        const body = enrolments.toReversed().flatMap((enrolment): OwnEnrolment[] => {
          const terms = found.get(enrolment.programme)?.versions[enrolment.version - 1]?.terms
          return terms ? [{ ...listedEnrolment(enrolment), terms, words: termsInWords(terms) }] : []
        })
        return { body }
      },
    },
  }
}
