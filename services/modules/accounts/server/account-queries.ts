import type { QueryDependencies } from '#services/modules/dependencies.ts'
import type { Queries } from '#services/modules/module.ts'
import { ownUser } from '#services/modules/users/server/own-user.ts'
import { users } from '#services/modules/users/user-read-model.ts'
import type { accountRoutes } from '../account-api.ts'
import { accountIn, accountWith } from './account-of-document.ts'
import { listedOwnAccount, ownAccountResponse } from './account-responses.ts'
import { performanceQueries } from './performance-queries.ts'
import { stageEvents } from '../stage-read-model.ts'
import { payouts } from '#services/modules/payouts/payout-read-model.ts'
import { ownAvailablePayout } from '#services/modules/payouts/server/own-available-payout.ts'
import { standingNeeds, standingOf, standingResponse } from './standings.ts'

/** A trader's own accounts, and the performance of accounts. */
export function accountQueries(parts: QueryDependencies): Queries<typeof accountRoutes> {
  return {
    ...performanceQueries(parts),
    ownAccounts: {
      needs: [users],
      handle: async ({ caller: { userId } }) => {
        const { accounts, account: current } = await ownUser(parts, userId)
        return { body: accounts.toReversed().map((account) => listedOwnAccount(account, current)) }
      },
    },

    ownStanding: {
      needs: standingNeeds,
      handle: async ({ caller: { userId }, query }) => {
        const account = accountIn(await ownUser(parts, userId), query.account)
        return { body: standingResponse(account.id, await standingOf(parts, account)) }
      },
    },

    standing: {
      needs: standingNeeds,
      handle: async ({ params: { id } }) => {
        const account = await accountWith(parts, id)
        return { body: standingResponse(account.id, await standingOf(parts, account)) }
      },
    },

    ownAccount: {
      needs: [users, stageEvents, payouts],
      handle: async ({ caller: { userId }, query }) => {
        const account = accountIn(await ownUser(parts, userId), query.account)
        const payout = account.termsStamp && (await ownAvailablePayout(parts, account.id))
        return { body: ownAccountResponse(account, await parts.personKeys.keyOf(userId), payout) }
      },
    },
  }
}
