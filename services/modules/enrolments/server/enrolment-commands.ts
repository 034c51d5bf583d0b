import type { CommandDependencies } from '#services/modules/dependencies.ts'
import type { Commands } from '#services/modules/module.ts'
import { existingUserId } from '#services/modules/users/server/user-commands.ts'
import type { enrolmentRoutes } from '../enrolment-api.ts'
import { createOrderEnrolment } from './enrol-by-order.ts'
import { enrolmentAnswer, enrolTrader, versionOnOffer } from './enrol-trader.ts'

/** Enrols traders. */
export function enrolmentCommands(parts: CommandDependencies): Commands<typeof enrolmentRoutes> {
  const { repositories } = parts
  const enrolByOrder = createOrderEnrolment(parts)
  return {
    enrolTrader: async ({ params, body, context }) => {
      const trader = existingUserId(params.id)
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
  }
}
