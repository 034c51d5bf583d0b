import type { z } from 'zod'
import { accountRoutes, type AccountChanges } from '#services/modules/accounts/account-api.ts'
import { type Certificate, certificateRoutes } from '#services/modules/certificates/certificate-api.ts'
import { factorRoutes } from '#services/modules/second-factors/second-factor-api.ts'
import { signInRoutes } from '#services/modules/sign-in/sign-in-api.ts'
import { type UserChanges, userRoutes } from '#services/modules/users/user-api.ts'
import { ApiError } from '@/api/api-error.ts'
import { type QueryOf, send, sendAndParse, upload } from '@/api/api.ts'
import { pageQuery, routeQuery } from '@/api/route-query.ts'
import { accountStatusLabel } from '@/format/status.ts'
import { FRESH } from '@/query-client.ts'
import { adminChange, PartiallySaved } from '@/features/shell/admin-change.ts'
import { type Address, ROWS } from '@/lists/list-query.ts'

/** Users with their trading accounts, certificates and sessions, as administrators read and change them (specification §7). */

type UserPage = QueryOf<typeof userRoutes.users>

/** The page of users that an address of /admin/users names. */
export function userPageOf({
  search,
  payouts,
  size = ROWS,
  ...rest
}: Address<'search' | 'status' | 'phase' | 'payouts' | 'sort' | 'size' | 'cursor'>): UserPage {
  return { ...rest, search: search?.trim(), payoutEnabled: payouts, limit: size }
}

const subjects = ['users', 'accounts'] as const

export const usersQuery = (query: UserPage) => pageQuery(userRoutes.users, { query, subjects })

/** The users of /admin. */
export const tabUsersQuery = (search: string | undefined, cursor: string | undefined) =>
  pageQuery(userRoutes.users, { query: { search: search?.trim(), limit: ROWS, cursor }, subjects }, { staleTime: FRESH.adminTabs })

/** One user with the platform login. Read again whenever it is opened (specification §2), and not kept afterwards. */
export const userDetailsQuery = (id: string) => routeQuery(userRoutes.user, { params: { id }, subjects }, { staleTime: 0, gcTime: 0, refetchOnMount: 'always' })

/** How a trader's balance and profit changed. */
export const userHistoryQuery = (id: string) =>
  routeQuery(accountRoutes.history, { params: { id }, subjects: ['accounts', 'payouts', 'certificates', 'users'] })

/** Where a trader is signed in. */
export const userSessionsQuery = (id: string) => routeQuery(signInRoutes.userSessions, { params: { id }, subjects: ['sign-in', 'users'] }, { staleTime: 0 })

/** A trader's certificates. */
export const userCertificatesQuery = (id: string) =>
  routeQuery(certificateRoutes.userCertificates, { params: { id }, subjects: ['certificates'] }, { staleTime: 0 })

export type UserChange = z.input<typeof UserChanges>
export type AccountChange = z.input<typeof AccountChanges>

/** A user, and what a toast calls the person. */
export interface UserName {
  readonly id: string
  readonly fullName: string
}

interface ChangeOfAccount extends UserName {
  readonly changes: AccountChange
}

/** Whose account was changed, and to what. */
function inWords({ fullName, changes: { status, payoutEnabled } }: ChangeOfAccount): string {
  if (status !== undefined) return `${fullName}: ${accountStatusLabel(status).label}.`
  return payoutEnabled === undefined ? `${fullName}.` : `${fullName}: payouts ${payoutEnabled ? 'enabled' : 'disabled'}.`
}

/** Changes some fields of a trading account: only those that are sent (specification §7, partial payloads). */
const accountChange = (done: string, failed: string) =>
  adminChange({
    send: ({ id, changes }: ChangeOfAccount) => send(accountRoutes.changeAccount, { params: { id }, body: changes }),
    done: (change) => [done, inWords(change), change.id],
    failed: () => failed,
  })

/** Changes of the account. What is said about one depends on the form that it comes from (specification §8). */
export const accountChanges = {
  status: accountChange('User status updated', 'Failed to update user status'),
  payouts: accountChange('Payout status updated', 'Failed to update payout status'),
  platform: accountChange('Trading account updated', 'Update failed'),
  risk: accountChange('Risk metrics updated', 'Update failed'),
} as const

interface BanChange extends UserName {
  readonly banned: boolean
  readonly banReason: string | null
}

/** Bans a user for a reason, or lifts a ban. */
export const banUser = adminChange({
  send: ({ id, banned, banReason }: BanChange) => send(userRoutes.banUser, { params: { id }, body: { banned, banReason } }),
  done: ({ id, fullName, banned }) => ['User status updated', `${fullName} is ${banned ? 'banned and signed out' : 'no longer banned'}.`, id],
  failed: () => 'Failed to update ban status',
})

interface UserWithAccount {
  readonly user: UserChange
  /** Undefined where the role may not change it. */
  readonly account: AccountChange | undefined
  /** The new user's id, when only the account is still missing. */
  readonly createdId: string | undefined
}

/** The form asks for both; the server would say what is missing. */
const createUser = ({ fullName = '', email = '', ...rest }: UserChange) => sendAndParse(userRoutes.createUser, { body: { ...rest, fullName, email } })

/** Changes the user `id` or creates one, then the account. @throws {PartiallySaved} when only the second request failed: it may be sent again. */
export const saveUser = (id: string | undefined) =>
  adminChange({
    send: async ({ user, account, createdId }: UserWithAccount) => {
      if (id !== undefined) await send(userRoutes.changeUser, { params: { id }, body: user })
      const saved = id ?? createdId ?? (await createUser(user)).id
      if (account === undefined) return saved
      const call = id === undefined ? accountRoutes.setAccount : accountRoutes.changeAccount
      await send(call, { params: { id: saved }, body: account }).catch((error: unknown) => {
        // The end of a session must reach its watcher.
        throw error instanceof ApiError && error.status === 401 ? error : new PartiallySaved(saved, error)
      })
      return saved
    },
    done: ({ user }, saved) =>
      id === undefined ? ['User created', `${user.fullName} gets a mail with a link to set a password.`, saved] : ['User updated', `${user.fullName}.`, saved],
    failed: () => (id === undefined ? 'Create failed' : 'Update failed'),
  })

/** Reads the master password of an account, which is recorded. The answer is kept only while it is shown, never cached. */
export const showMasterPassword = {
  ...adminChange({
    send: ({ id }: UserName) => sendAndParse(accountRoutes.showMasterPassword, { params: { id } }),
    done: ({ id, fullName }) => ['Master password shown', `${fullName} sees in the history that staff looked at it.`, id],
    failed: () => 'The master password could not be shown',
  }),
  gcTime: 0,
}

/** Deletes a user for good. */
export const deleteUser = adminChange({
  send: ({ id }: UserName) => send(userRoutes.deleteUser, { params: { id } }),
  done: ({ id, fullName }) => ['User deleted', `${fullName}: what is personal is erased.`, id],
  failed: () => 'Delete failed',
  fallback: () => 'Failed to delete user',
})

interface CertificateToUpload {
  readonly userId: string
  readonly fullName: string
  readonly name: string
  /** Empty: the server takes today. */
  readonly issuedAt: string
  readonly certificateFile: File
}

/** Uploads a certificate; `onProgress` gets the share that is sent, from 0 to 1. */
export const uploadCertificate = (onProgress: (share: number) => void) =>
  adminChange({
    send: ({ fullName: _, ...certificate }: CertificateToUpload) => {
      const form = new FormData()
      for (const [field, value] of Object.entries<string | File>({ ...certificate })) if (value !== '') form.append(field, value)
      return upload(certificateRoutes.issueCertificate, form, onProgress)
    },
    done: ({ userId, fullName, name }) => ['Certificate uploaded', `“${name}” of ${fullName}.`, userId],
    failed: () => 'Upload failed',
    fallback: (error) => (error instanceof ApiError ? 'Failed to upload certificate' : 'An unexpected error occurred'),
  })

interface Revocation extends Pick<Certificate, 'id' | 'name'> {
  readonly holder: UserName
  readonly reason: string
}

/** Declares a certificate invalid. */
export const revokeCertificate = adminChange({
  send: ({ id, reason }: Revocation) => send(certificateRoutes.revokeCertificate, { params: { id }, body: { reason } }),
  done: ({ name, holder }) => ['Certificate revoked', `“${name}” of ${holder.fullName}, who gets a mail.`, holder.id],
  failed: () => 'Update failed',
})

/** Ends every session of a trader. */
export const endUserSessions = adminChange({
  send: ({ id }: UserName) => send(signInRoutes.endUserSessions, { params: { id } }),
  done: ({ id, fullName }) => ['Signed out everywhere', `${fullName} has to sign in again.`, id],
  failed: () => 'Update failed',
})

/** Removes the second factors of a trader who lost them. */
export const removeUserFactors = adminChange({
  send: ({ id }: UserName) => send(factorRoutes.removeUserFactors, { params: { id } }),
  done: ({ id, fullName }) => ['Second factors removed', `${fullName} signs in with the password alone.`, id],
  failed: () => 'Update failed',
})
