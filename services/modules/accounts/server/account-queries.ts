import type { QueryDependencies } from '#services/modules/dependencies.ts'
import type { Queries } from '#services/modules/module.ts'
import { ownUser } from '#services/modules/users/server/own-user.ts'
import { users } from '#services/modules/users/user-read-model.ts'
import type { accountRoutes } from '../account-api.ts'
import { ownAccountResponse } from './account-responses.ts'
import { performanceQueries } from './performance-queries.ts'

/** The trader's own account, and the performance of accounts. */
export function accountQueries(parts: QueryDependencies): Queries<typeof accountRoutes> {
  const keyOf = async (userId: string) => (await parts.personKeys.get([userId])).get(userId)
  return {
    ...performanceQueries(parts),
    ownAccount: {
      needs: [users],
      handle: async ({ caller: { userId } }) => ({
        body: ownAccountResponse(await ownUser(parts, userId), await keyOf(userId)),
      }),
    },
  }
}
