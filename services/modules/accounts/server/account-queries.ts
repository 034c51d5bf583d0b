import type { QueryDependencies } from '#services/modules/dependencies.ts'
import type { Queries } from '#services/modules/module.ts'
import { ownUser } from '#services/modules/users/server/own-user.ts'
import { users } from '#services/modules/users/user-read-model.ts'
import type { accountRoutes } from '../account-api.ts'
import { accountIn } from './account-of-document.ts'
import { listedOwnAccount, ownAccountResponse } from './account-responses.ts'
import { performanceQueries } from './performance-queries.ts'

/** A trader's own accounts, and the performance of accounts. */
export function accountQueries(parts: QueryDependencies): Queries<typeof accountRoutes> {
  const keyOf = async (userId: string) => (await parts.personKeys.get([userId])).get(userId)
  return {
    ...performanceQueries(parts),
    ownAccounts: {
      needs: [users],
      handle: async ({ caller: { userId } }) => {
        const { accounts, account: current } = await ownUser(parts, userId)
        return { body: accounts.toReversed().map((account) => listedOwnAccount(account, current)) }
      },
    },

    ownAccount: {
      needs: [users],
      handle: async ({ caller: { userId }, query }) => ({
        body: ownAccountResponse(accountIn(await ownUser(parts, userId), query.account), await keyOf(userId)),
      }),
    },
  }
}
