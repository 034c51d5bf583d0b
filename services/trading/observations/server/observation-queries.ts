import { setPaginationHeaders } from '#services/framework/http/pagination.ts'
import { exactTotal } from '#services/framework/http/list-total.ts'
import { accountWith } from '#services/trading/accounts/server/account-of-document.ts'
import { stageEvents } from '#services/trading/accounts/stage-read-model.ts'
import type { TradingParts } from '#services/trading/parts.ts'
import { accountId, observationIdOf } from '#services/framework/ids.ts'
import type { Queries } from '#services/framework/module.ts'
import { users } from '#services/trading/accounts/user-read-model.ts'
import { writtenObservation } from '#services/rules/observation.ts'
import { AccountObservation, type observationRoutes } from '../observation-api.ts'

/** Staff read the observations of an account. */
export function observationQueries(parts: TradingParts['queries']): Queries<typeof observationRoutes> {
  return {
    observations: {
      needs: [users, stageEvents],
      handle: async ({ params, query: { limit, cursor }, request, response }) => {
        const id = accountId.parse((await accountWith(parts, params.id)).id)
        const found = await parts.stages.of(id)
        const known = found?.stage.known.list.filter(({ now }) => now !== null).reverse()
        const before = known?.filter(({ number }) => number < (Number(cursor) || Infinity))
        const page = before?.take(limit).toArray() ?? []
        const next = before && before.size > limit ? String(page.at(-1)?.number) : undefined
        setPaginationHeaders(request, response, { next }, exactTotal(known?.size ?? 0))
        return {
          body: page.map(({ number, now }) =>
            AccountObservation.parse({
              id: observationIdOf(id, number),
              event: found?.events.observations.get(number - 1),
              observation: now && writtenObservation(now),
            }),
          ),
        }
      },
    },
  }
}
