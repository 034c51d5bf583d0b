import type { z } from 'zod'
import { accountChangeRoutes } from '#services/trading/accounts/account-change-api.ts'
import { type UserChanges, userRoutes } from '#services/identity/users/user-api.ts'
import { ApiError } from '@/api/api-error.ts'
import { send, sendAndParse } from '@/api/api.ts'
import { mailNote } from '@/features/frame/session-queries.ts'
import { PartiallySaved, staffChange } from '@/features/frame/staff-change.ts'
import { type AccountChange, changeAccount } from '@/features/trading/accounts/staff-account-queries.ts'

/** A user with an account, saved together. Apart from the lists of users, which need no terms of accounts. */

export type UserChange = z.input<typeof UserChanges>

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
