import { LRUCache } from 'lru-cache'
import { toDecimal } from '#services/money/money.ts'
import { HttpError } from '#services/http/http-errors.ts'
import { createKeyedQueue } from '#services/event-sourcing/keyed-queue.ts'
import { accounts } from '#services/modules/account-aggregate.ts'
import { users as userStreams } from '#services/modules/users/user.ts'
import type { accountRoutes } from '../account-api.ts'
import { type AccountHistory } from '../account-api.ts'
import { users } from '#services/modules/users/user-read-model.ts'
import { type Curve, applyToCurve, createCurve } from './balance-curve.ts'
import { type Audience, stampResponse } from '#services/modules/decision-stamp.ts'
import type { QueryDependencies } from '#services/modules/dependencies.ts'
import type { Queries } from '#services/modules/module.ts'

/** The maximum of cached points and markers, over all accounts. */
const CACHE_SIZE = 300_000

/**
 * The balance of an account over time. Few ask for it, so it is no read model: it is replayed from the account's stream.
 * The curve of each account is cached, and only new events are read.
 */
export function performanceQueries({ repositories, readModels }: QueryDependencies) {
  const remembered = new LRUCache<string, Curve>({
    maxSize: CACHE_SIZE,
    sizeCalculation: ({ points, markers }) => points.length + markers.length + 1,
  })
  const inTurn = createKeyedQueue()

  const refresh = async (userId: string): Promise<Curve> => {
    const curve = remembered.get(userId) ?? createCurve()
    for await (const event of repositories.of(accounts).readEvents(userId, curve.next.account)) applyToCurve(curve, event)
    for await (const event of repositories.of(userStreams).readEvents(userId, curve.next.user)) applyToCurve(curve, event)
    remembered.set(userId, curve)
    return curve
  }

  /** One at a time per account, since curves are mutable. */
  const curveOf = (userId: string): Promise<Curve> => inTurn(userId, () => refresh(userId))

  const historyOf = async (userId: string, reader: Audience) => ({ body: historyResponse(await curveOf(userId), reader) })

  return {
    ownHistory: { needs: [users], handle: ({ caller }) => historyOf(caller.userId, 'trader') },

    history: {
      needs: [users],
      handle: async ({ params: { id } }) => {
        if (!(await readModels.get(users, id))) throw new HttpError(404, { message: 'User not found' })
        return historyOf(id, 'admin')
      },
    },
  } satisfies Partial<Queries<typeof accountRoutes>>
}

function historyResponse({ points, markers, olderMarkers }: Curve, reader: Audience): AccountHistory {
  return {
    points: points.map(({ at, number, balance, profitLoss }) => ({
      at: new Date(at).toISOString(),
      number,
      balance: toDecimal(balance),
      profitLoss: toDecimal(profitLoss),
    })),
    // The two streams, each in its own order.
    markers: [...markers]
      .sort((one, other) => one.at - other.at)
      .map(({ stream, type, label, why, ...stamp }) => ({ ...stampResponse(stamp, reader), stream, type, label, why })),
    olderMarkers,
  }
}
