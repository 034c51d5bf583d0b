import { traderRoutes } from '#services/trading/traders/trader-api.ts'
import type { z } from 'zod'
import { accountChangeRoutes } from '#services/trading/accounts/account-change-api.ts'
import { type UserChanges, userRoutes } from '#services/identity/users/user-api.ts'
import { ApiError } from '@/api/api-error.ts'
import { type QueryOf, send, sendAndParse } from '@/api/api.ts'
import { pageQuery, routeQuery } from '@/api/route-query.ts'
import { type AccountChange, changeAccount } from '@/features/trading/accounts/staff-account-queries.ts'
import { mailNote } from '@/features/frame/session-queries.ts'
import { PartiallySaved, staffChange, type UserName } from '@/features/frame/staff-change.ts'
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

export type UserChange = z.input<typeof UserChanges>

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

interface UserWithAccount {
  readonly user: UserChange
  /** Undefined where the role may not change it. */
  readonly account: AccountChange | undefined
  /** The account's id, of a user with several. */
  readonly accountId: string | undefined
  /** The new user's id, when only the account is still missing. */
  readonly createdId: string | undefined
}

/** The form asks for both; the server would say what is missing. */
const createUser = ({ fullName = '', email = '', ...rest }: UserChange) =>
  sendAndParse(userRoutes.createUser, { body: { ...rest, fullName, email } })

/**
 * Changes the user `id` or creates one, then the account.
 *
 * @throws {PartiallySaved} when only the second request failed: it may be sent again.
 */
export const saveUser = (id: string | undefined) =>
  staffChange({
    send: async ({ user, account, accountId, createdId }: UserWithAccount) => {
      if (id !== undefined) await send(userRoutes.changeUser, { params: { id }, body: user })
      const saved = id ?? createdId ?? (await createUser(user)).id
      if (account === undefined) return saved
      const change =
        id === undefined
          ? send(accountChangeRoutes.setAccount, { params: { id: saved }, body: account })
          : changeAccount(id, accountId, account)
      await change.catch((error: unknown) => {
        // The end of a session must reach its watcher.
        throw error instanceof ApiError && error.status === 401 ? error : new PartiallySaved(saved, error)
      })
      return saved
    },
    done: ({ user }, saved, client) =>
      id === undefined
        ? ['User created', mailNote(client, `${user.fullName} gets a mail with a link to set a password.`), saved]
        : ['User updated', `${user.fullName}.`, saved],
    failed: () => (id === undefined ? 'Create failed' : 'Update failed'),
  })

/** Deletes a user for good. */
export const deleteUser = staffChange({
  send: ({ id }: UserName) => send(userRoutes.deleteUser, { params: { id } }),
  done: ({ id, fullName }) => ['User deleted', `${fullName}: what is personal is erased.`, id],
  failed: () => 'Delete failed',
  fallback: () => 'Failed to delete user',
})
