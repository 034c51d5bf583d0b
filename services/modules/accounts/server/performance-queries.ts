import { HttpError } from '#services/http/http-errors.ts'
import { type Audience, stampResponse } from '#services/modules/decision-stamp.ts'
import type { QueryDependencies } from '#services/modules/dependencies.ts'
import { isoTime } from '#services/modules/event-description.ts'
import type { Queries } from '#services/modules/module.ts'
import { ownUser } from '#services/modules/users/server/own-user.ts'
import { type UserDocument, users } from '#services/modules/users/user-read-model.ts'
import { toDecimal } from '#services/money/money.ts'
import type { AccountHistory, accountRoutes } from '../account-api.ts'
import { type DecisionDocument, decisions } from '../decision-read-model.ts'
import { accountIn } from './account-of-document.ts'
import { balanceSteps, resultOf, type Step } from '../trading-results.ts'
import { balanceCurve, type Point } from './balance-curve.ts'
import { movementsOf, standingNeeds } from './standings.ts'
import { tradingResponse } from './trading-response.ts'

/** More than any account has. */
const MOST_DECISIONS = 100_000

/** Only the newest are shown. */
export const MAX_MARKERS = 1_000

/** The balance of an account over time, with the decisions along the way. */
export function performanceQueries(parts: QueryDependencies) {
  const { readModels, now } = parts
  const historyOf = async (
    user: UserDocument,
    wanted: string | undefined,
    reader: Audience,
  ): Promise<{ body: AccountHistory }> => {
    const { id: accountId } = accountIn(user, wanted)
    // What is decided about the user, such as a ban, is marked on all accounts.
    const where = { about: [accountId, user.id] }
    const changes = await movementsOf(parts, accountId)
    const marked = await readModels.find(decisions, { where, limit: MAX_MARKERS })
    const steps = balanceSteps(changes)
    const traded = tradedAt(steps)
    const points = balanceCurve(changes.filter(({ beginsPhase }) => !beginsPhase)).map((point) =>
      pointResponse(point, traded(point.number)),
    )
    const markers = marked.documents
      .toSorted((one, other) => one.at - other.at || one.number - other.number)
      .map((each) => markerResponse(each, reader))
    const { days, periods } = tradingResponse(steps, now())
    const olderMarkers =
      marked.next === undefined ? 0 : (await readModels.count(decisions, { where }, MOST_DECISIONS)) - MAX_MARKERS
    return { body: { points, days, periods, markers, olderMarkers } }
  }

  return {
    ownHistory: {
      needs: [...standingNeeds, decisions],
      handle: async ({ caller, query }) => historyOf(await ownUser(parts, caller.userId), query.account, 'trader'),
    },

    history: {
      needs: [...standingNeeds, decisions],
      handle: async ({ params: { id }, query }) => {
        const user = await readModels.get(users, id)
        if (!user) throw new HttpError(404, { message: 'User not found' })
        return historyOf(user, query.account, 'admin')
      },
    },
  } satisfies Partial<Queries<typeof accountRoutes>>
}

/** What was traded up to an event; asked in the order of the log. */
function tradedAt(steps: readonly Step[]): (number: number) => number {
  let [traded, next] = [0, 0]
  return (number) => {
    for (let step = steps[next]; step && step.number <= number; step = steps[next]) {
      traded += resultOf(step)
      next += 1
    }
    return traded
  }
}

function pointResponse({ at, number, balance, profitLoss }: Point, traded: number): AccountHistory['points'][number] {
  const [money, profit] = [toDecimal(balance), toDecimal(profitLoss)]
  return { at: isoTime(at), number, balance: money, profitLoss: profit, traded: toDecimal(traded) }
}

function markerResponse(
  { number, at, actor, stream, type, label, reason }: DecisionDocument,
  reader: Audience,
): AccountHistory['markers'][number] {
  const stamp = { number, at, by: actor.kind, name: actor.kind === 'trader' ? null : actor.label }
  return { ...stampResponse(stamp, reader), stream, type, label, why: reason || null }
}
