import { traderRoutes } from '#services/trading/traders/trader-api.ts'
import { userRoutes } from '#services/identity/users/user-api.ts'
import { type QueryOf, send } from '@/api/api.ts'
import { pageQuery, routeQuery } from '@/api/route-query.ts'
import { staffChange, type UserName } from '@/features/frame/staff-change.ts'
import { type Address, ROWS } from '@/lists/list-query.ts'
import { FRESH } from '@/query-client.ts'

/** Users, as staff read and change them (specification §7). */

type UserPage = QueryOf<typeof traderRoutes.users>

/** The page of users that an address of /admin/users names. */
export function userPageOf({
  search,
  payouts,
  size = ROWS,
  ...rest
}: Address<'search' | 'status' | 'phase' | 'payouts' | 'sort' | 'size' | 'cursor'>): UserPage {
  return { ...rest, search: search?.trim(), payoutEnabled: payouts, limit: size }
}

/** A payout moves the balance of an account. */
const subjects = ['users', 'accounts', 'payouts', 'enrolments'] as const

export const usersQuery = (query: UserPage) => pageQuery(traderRoutes.users, { query, subjects })

/** The users of /admin. */
export const tabUsersQuery = (search: string | undefined, cursor: string | undefined) =>
  pageQuery(
    traderRoutes.users,
    { query: { search: search?.trim(), limit: ROWS, cursor }, subjects },
    { staleTime: FRESH.adminTabs },
  )

/** One user with the platform login. Read again whenever it is opened (specification §2), and not kept afterwards. */
export const userDetailsQuery = (id: string) =>
  routeQuery(traderRoutes.user, { params: { id }, subjects }, { staleTime: 0, gcTime: 0, refetchOnMount: 'always' })

interface BanChange extends UserName {
  readonly banned: boolean
  readonly banReason: string | null
}

/** Bans a user for a reason, or lifts a ban. */
export const banUser = staffChange({
  send: ({ id, banned, banReason }: BanChange) =>
    send(userRoutes.banUser, { params: { id }, body: { banned, banReason } }),
  done: ({ id, fullName, banned }) => [
    'User status updated',
    `${fullName} is ${banned ? 'banned and signed out' : 'no longer banned'}.`,
    id,
  ],
  failed: () => 'Failed to update ban status',
})

/** Deletes a user for good. */
export const deleteUser = staffChange({
  send: ({ id }: UserName) => send(userRoutes.deleteUser, { params: { id } }),
  done: ({ id, fullName }) => ['User deleted', `${fullName}: what is personal is erased.`, id],
  failed: () => 'Delete failed',
  fallback: () => 'Failed to delete user',
})
