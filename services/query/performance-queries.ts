import { LRUCache } from 'lru-cache'
import { type AccountHistory, routes, toDecimal } from '../api/index.ts'
import { HttpError } from '../http/http-errors.ts'
import { oneAfterTheOther } from '../event-sourcing/keyed-queue.ts'
import { accounts, streamName, users as userStreams } from '../domain/streams.ts'
import { users } from '../projections/index.ts'
import { type Curve, extend, newCurve } from './balance-curve.ts'
import { type Reader, stampAnswer } from './query-responses.ts'
import type { QueryParts, Read } from './query-dependencies.ts'

/** Points and markers that are remembered, summed over all accounts. */
const REMEMBERED = 300_000

/**
 * The balance of an account over time. It is replayed from the account's own stream, not kept as a view: few ask for it,
 * the curve of each account is remembered here, and only facts that are new are read again.
 */
export function registerPerformance(read: Read, { journal, views }: QueryParts): void {
  const remembered = new LRUCache<string, Curve>({
    maxSize: REMEMBERED,
    sizeCalculation: ({ points, markers }) => points.length + markers.length + 1,
  })
  const inTurn = oneAfterTheOther()

  const refresh = async (userId: string): Promise<Curve> => {
    const curve = remembered.get(userId) ?? newCurve()
    for (const [kind, from] of [
      [accounts, curve.next.account],
      [userStreams, curve.next.user],
    ] as const)
      for await (const fact of journal.facts(streamName(kind, userId), from)) extend(curve, fact)
    remembered.set(userId, curve)
    return curve
  }

  /** One after the other for an account: a curve is changed in place. */
  const curveOf = (userId: string): Promise<Curve> => inTurn(userId, () => refresh(userId))

  const historyOf = async (userId: string, reader: Reader) => ({ body: historyAnswer(await curveOf(userId), reader) })

  read(routes.ownHistory, [users], ({ caller }) => historyOf(caller.userId, 'trader'))

  read(routes.history, [users], async ({ params: { id } }) => {
    if (!(await views.get(users, id))) throw new HttpError(404, { message: 'User not found' })
    return historyOf(id, 'admin')
  })
}

function historyAnswer({ points, markers, olderMarkers }: Curve, reader: Reader): AccountHistory {
  return {
    points: points.map(({ at, number, balance, profitLoss }) => ({
      at: new Date(at).toISOString(),
      number,
      balance: toDecimal(balance),
      profitLoss: toDecimal(profitLoss),
    })),
    // Two streams, each in its own order.
    markers: [...markers]
      .sort((one, other) => one.at - other.at)
      .map(({ stream, type, label, why, ...stamp }) => ({ ...stampAnswer(stamp, reader), stream, type, label, why })),
    olderMarkers,
  }
}
