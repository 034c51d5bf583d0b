import { HttpError } from '#services/http/http-errors.ts'
import { type Audience, stampResponse } from '#services/modules/decision-stamp.ts'
import type { QueryDependencies } from '#services/modules/dependencies.ts'
import { isoTime } from '#services/modules/event-description.ts'
import type { Queries } from '#services/modules/module.ts'
import { ownUser } from '#services/modules/users/server/own-user.ts'
import { type UserDocument, users } from '#services/modules/users/user-read-model.ts'
import { toDecimal } from '#services/money/money.ts'
import type { AccountHistory, accountRoutes } from '../account-api.ts'
import { balanceChanges } from '../balance-read-model.ts'
import { type DecisionDocument, decisions } from '../decision-read-model.ts'
import { accountIn } from './account-of-document.ts'
import { balanceCurve, type Point } from './balance-curve.ts'

/** More changes than any account has. Of more, the oldest are left out. */
const ALL = 100_000

/** Only the newest are shown. */
export const MAX_MARKERS = 1_000

/** The balance of an account over time, with the decisions along the way. */
export function performanceQueries(parts: QueryDependencies) {
  const { readModels } = parts
  const historyOf = async (
    user: UserDocument,
    wanted: string | undefined,
    reader: Audience,
  ): Promise<{ body: AccountHistory }> => {
    const { id: accountId } = accountIn(user, wanted)
    // What is decided about the user, such as a ban, is marked on all accounts.
    const where = { about: [accountId, user.id] }
    const [changed, marked] = [
      await readModels.find(balanceChanges, { where: { accountId }, limit: ALL }),
      await readModels.find(decisions, { where, limit: MAX_MARKERS }),
    ]
    const points = balanceCurve(changed.documents.toReversed()).map(pointResponse)
    const markers = marked.documents
      .toSorted((one, other) => one.at - other.at || one.number - other.number)
      .map((each) => markerResponse(each, reader))
    const olderMarkers =
      marked.next === undefined ? 0 : (await readModels.count(decisions, { where }, ALL)) - MAX_MARKERS
    return { body: { points, markers, olderMarkers } }
  }

  return {
    ownHistory: {
      needs: [users, balanceChanges, decisions],
      handle: async ({ caller, query }) => historyOf(await ownUser(parts, caller.userId), query.account, 'trader'),
    },

    history: {
      needs: [users, balanceChanges, decisions],
      handle: async ({ params: { id }, query }) => {
        const user = await readModels.get(users, id)
        if (!user) throw new HttpError(404, { message: 'User not found' })
        return historyOf(user, query.account, 'admin')
      },
    },
  } satisfies Partial<Queries<typeof accountRoutes>>
}

function pointResponse({ at, number, balance, profitLoss }: Point): AccountHistory['points'][number] {
  return { at: isoTime(at), number, balance: toDecimal(balance), profitLoss: toDecimal(profitLoss) }
}

function markerResponse(
  { number, at, actor, stream, type, label, reason }: DecisionDocument,
  reader: Audience,
): AccountHistory['markers'][number] {
  const stamp = { number, at, by: actor.kind, name: actor.kind === 'trader' ? null : actor.label }
  return { ...stampResponse(stamp, reader), stream, type, label, why: reason || null }
}
