import { done } from '#services/framework/http/serve-route.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import { accountStreams } from '#services/trading/stream/account-aggregate.ts'
import type { TradingParts } from '#services/trading/parts.ts'
import { type AccountId, observationId, observationIdOf } from '#services/framework/ids.ts'
import type { Commands } from '#services/framework/module.ts'
import type { observationRoutes } from '../observation-api.ts'
import { correctObservation } from '#services/trading/stream/observation.ts'
import { recordFeed } from './feed.ts'
import { futureFault } from '../observation-api.ts'

/** Records what programs observe, and corrects it. */
export function observationCommands(parts: TradingParts['commands']): Commands<typeof observationRoutes> {
  const { repositories, react, now } = parts
  return {
    recordFeed: async ({ body: { rows }, context }) => {
      const { body, position } = await recordFeed(parts, rows, context)
      return { body, ...(position && { position }) }
    },

    correctObservation: async ({ params, body: { observation, reason }, context }) => {
      const account = params.id
      const number = existingNumber(account, params.observation)
      const fault = observation && futureFault(observation, now())
      if (fault) throw new Refused('invalid', fault, 'observation')
      const result = await repositories
        .of(accountStreams)
        .decide(account, context, (state) => correctObservation(state, number, observation, reason))
      return done(await react(result))
    },
  }
}

/** The number in an observation's id. @throws {Refused} not-found, for none of this account */
function existingNumber(account: AccountId, id: string): number {
  const { data } = observationId.safeParse(id)
  const number = Number(data?.slice(data.lastIndexOf('-o') + 2))
  if (!data || observationIdOf(account, number) !== data) throw new Refused('not-found', 'Observation not found')
  return number
}
