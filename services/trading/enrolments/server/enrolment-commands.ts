import { done } from '#services/framework/http/serve-route.ts'
import type { TradingParts } from '#services/trading/parts.ts'
import type { Commands } from '#services/framework/module.ts'
import { acceptTerms, userStreams } from '#services/identity/users/user.ts'
import type { enrolmentRoutes } from '../enrolment-api.ts'
import { createOrderEnrolment } from './enrol-by-order.ts'
import { enrolmentAnswer, enrolTrader, versionOnOffer } from './enrol-trader.ts'

/** Enrols traders. */
export function enrolmentCommands(parts: TradingParts['commands']): Commands<typeof enrolmentRoutes> {
  const { repositories } = parts
  const enrolByOrder = createOrderEnrolment(parts)
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

    enrolByOrder: ({ body, context }) => enrolByOrder(body, context),

    acceptTerms: async ({ caller: { userId }, params, body, context }) => {
      const { position } = await repositories
        .of(userStreams)
        .decide(userId, context, (user) => acceptTerms(user, params.id, body.hash))
      return done(position)
    },
  }
}
