import { type AccountHistory, routes, toDecimal } from '#services/api/index.ts'
import { isoTime } from '#services/domain/event-description.ts'
import { HttpError } from '#services/http/http-errors.ts'
import { balanceChanges, type DecisionDocument, decisions, users } from '#services/projections/index.ts'
import { balanceCurve, type Point } from './balance-curve.ts'
import { type Audience, stampResponse } from './query-responses.ts'
import type { QueryDependencies, RegisterQuery } from './query-dependencies.ts'

/** More changes than any account has. Of more, the oldest are left out. */
const ALL = 100_000

/** Only the newest are shown. */
export const MAX_MARKERS = 1_000

/** The balance of an account over time, with the decisions along the way. */
export function registerPerformanceQueries(read: RegisterQuery, { readModels }: QueryDependencies): void {
  const historyOf = async (userId: string, reader: Audience): Promise<{ body: AccountHistory }> => {
    const where = { userId }
    const [changed, marked] = [await readModels.find(balanceChanges, { where, limit: ALL }), await readModels.find(decisions, { where, limit: MAX_MARKERS })]
    const points = balanceCurve(changed.documents.toReversed()).map(pointResponse)
    const markers = marked.documents.toSorted((one, other) => one.at - other.at || one.number - other.number).map((each) => markerResponse(each, reader))
    const olderMarkers = marked.next === undefined ? 0 : (await readModels.count(decisions, { where }, ALL)) - MAX_MARKERS
    return { body: { points, markers, olderMarkers } }
  }

  read(routes.ownHistory, [balanceChanges, decisions], ({ caller }) => historyOf(caller.userId, 'trader'))

  read(routes.history, [users, balanceChanges, decisions], async ({ params: { id } }) => {
    if (!(await readModels.get(users, id))) throw new HttpError(404, { message: 'User not found' })
    return historyOf(id, 'admin')
  })
}

function pointResponse({ at, number, balance, profitLoss }: Point): AccountHistory['points'][number] {
  return { at: isoTime(at), number, balance: toDecimal(balance), profitLoss: toDecimal(profitLoss) }
}

function markerResponse({ number, at, actor, stream, type, label, reason }: DecisionDocument, reader: Audience): AccountHistory['markers'][number] {
  const stamp = { number, at, by: actor.kind, name: actor.kind === 'trader' ? null : actor.label }
  return { ...stampResponse(stamp, reader), stream, type, label, why: reason || null }
}
