import { keepPreviousData, mutationOptions, type QueryClient, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import type { z } from 'zod'
import type { AccountChanges } from '../../../../../services/api/account-schemas.ts'
import type { User } from '../../../../../services/api/session-schemas.ts'
import type { ListedUser, UserChanges, UserDetails, UserListStatus } from '../../../../../services/api/user-schemas.ts'
import { ApiError, messageOf } from '../../../api/api-error.ts'
import { addressWith, get, getPage, send, sendAndParse, upload } from '../../../api/api.ts'
import { FRESH } from '../../../query-client.ts'
import { toast } from '../../../toast.ts'
import { toastRefusal } from '../failures.ts'
import { type PageSize, ROWS } from '../lists/address.ts'
import { refresh } from '../refresh.ts'

/** Users with their trading accounts and certificates, as administrators read and change them (specification §7). */

const schemas = () => import('../../../../../services/api/user-schemas.ts')

/** What a list of users is filtered and sorted by. */
export interface UserFilters {
  readonly search?: string | undefined
  readonly status?: UserListStatus | undefined
  readonly phase?: string | undefined
  readonly payoutEnabled?: 'true' | 'false' | undefined
  readonly sort?: string | undefined
}

export interface UserPage extends UserFilters {
  readonly limit: number
  readonly cursor?: string | undefined
}

/** What the address of the users' page says. */
interface UserAddress extends Omit<UserFilters, 'payoutEnabled'> {
  readonly payouts?: UserFilters['payoutEnabled']
  readonly size?: PageSize | undefined
  readonly cursor?: string | undefined
}

/** The page of users that an address names. */
export function userPageOf({ search, payouts, size = ROWS, ...rest }: UserAddress): UserPage {
  return { ...rest, search: search?.trim(), payoutEnabled: payouts, limit: Number(size) }
}

/** A page of users; the page before stays in sight while this one is on its way. */
export const usersQuery = (page: UserPage, staleTime: number = FRESH.admin) =>
  queryOptions({
    queryKey: ['admin', 'users', page],
    queryFn: ({ signal }) =>
      getPage<ListedUser>('/api/admin/users', () => schemas().then(({ ListedUser }) => ListedUser.array()), { query: { ...page }, signal }),
    placeholderData: keepPreviousData,
    staleTime,
    meta: { session: 'admin' },
  })

/** The users of /admin. */
export const tabUsersQuery = (search: string | undefined, cursor: string | undefined) =>
  usersQuery({ search: search?.trim(), limit: Number(ROWS), cursor }, FRESH.adminTabs)

/** The address of the whole filtered list as a file. */
export function usersCsv({ search, status, phase, payoutEnabled, sort }: UserFilters): string {
  return addressWith('/api/admin/users.csv', { search, status, phase, payoutEnabled, sort })
}

/** One user with the platform login. Read again whenever it is opened (specification §2), and not kept afterwards. */
export const userDetailsQuery = (id: string) =>
  queryOptions({
    queryKey: ['admin', 'user', id],
    queryFn: ({ signal }): Promise<UserDetails> => get(addressOf(id), () => schemas().then(({ UserDetails }) => UserDetails), { signal }),
    staleTime: 0,
    gcTime: 0,
    refetchOnMount: 'always',
    meta: { session: 'admin' },
  })

function addressOf(id: string): string {
  return `/api/admin/user/${encodeURIComponent(id)}`
}

export type UserChange = z.input<typeof UserChanges>
export type AccountChange = z.input<typeof AccountChanges>

interface ChangeMessages {
  readonly done: string
  readonly failed: string
}

/** What is said about a change of the account: it depends on the form that it comes from (specification §8). */
export const accountChangeMessages = {
  status: { done: 'User status updated', failed: 'Failed to update user status' },
  payouts: { done: 'Payout status updated', failed: 'Failed to update payout status' },
  platform: { done: 'Trading account updated', failed: 'Update failed' },
  risk: { done: 'Risk metrics updated', failed: 'Update failed' },
} as const satisfies Readonly<Record<string, ChangeMessages>>

/** Changes some fields of a trading account: only those that are sent (specification §7, partial payloads). */
export const accountChange = (client: QueryClient, { done, failed }: ChangeMessages) =>
  mutationOptions({
    mutationFn: ({ id, changes }: { readonly id: string; readonly changes: AccountChange }) => send('PATCH', `${addressOf(id)}/account`, changes),
    onSuccess: () => toast(done),
    onError: (error) => toastRefusal(failed, error),
    onSettled: () => refresh(client, 'users', 'user', 'stats'),
    meta: { session: 'admin' },
  })

export function useChangeAccount(words: ChangeMessages) {
  return useMutation(accountChange(useQueryClient(), words))
}

/** Bans a user for a reason, or lifts a ban. */
export const ban = (client: QueryClient) =>
  mutationOptions({
    mutationFn: ({ id, ...ban }: { readonly id: string; readonly banned: boolean; readonly banReason: string | null }) =>
      send('PATCH', `${addressOf(id)}/ban`, ban),
    onSuccess: (_, { banned }) => toast('User status updated', banned ? 'The user is banned and signed out.' : 'The ban is lifted.'),
    onError: (error) => toastRefusal('Failed to update ban status', error),
    onSettled: () => refresh(client, 'users', 'user', 'stats'),
    meta: { session: 'admin' },
  })

export function useBan() {
  return useMutation(ban(useQueryClient()))
}

/** What was done of a save in two steps, when the second one failed. */
export class PartiallySaved extends Error {
  override readonly name = 'PartiallySaved'
  constructor(
    /** Of the first step. */
    readonly id: string,
    reason: unknown,
  ) {
    super(messageOf(reason, 'Please try again in a moment.'), { cause: reason })
  }
}

interface UserWithAccount {
  readonly user: UserChange
  readonly account: AccountChange
  /** The new user's id, when only the account is still missing. */
  readonly createdId: string | undefined
}

/**
 * Changes the user `id`, or creates one, and then the account. @throws {PartiallySaved} when only the second request
 * failed: it may be sent again.
 */
export function useSaveUser(id: string | undefined) {
  const client = useQueryClient()
  const isNew = id === undefined
  const saveUser = async ({ user, createdId }: UserWithAccount): Promise<string> => {
    if (!isNew) await send('PATCH', addressOf(id), user)
    const create = () =>
      sendAndParse<User>('POST', '/api/admin/users', user, () => import('../../../../../services/api/session-schemas.ts').then(({ User }) => User))
    return id ?? createdId ?? (await create()).id
  }
  return useMutation({
    mutationFn: async (values: UserWithAccount) => {
      const saved = await saveUser(values)
      await send(isNew ? 'POST' : 'PATCH', `${addressOf(saved)}/account`, values.account).catch((error: unknown) => {
        // The end of a session must reach its watcher.
        throw error instanceof ApiError && error.status === 401 ? error : new PartiallySaved(saved, error)
      })
    },
    onSuccess: (_, { user }) => (isNew ? toast('User created', `${user.fullName} gets a mail with a link to set a password.`) : toast('User updated')),
    onError: (error) => toastRefusal(isNew ? 'Create failed' : 'Update failed', error instanceof PartiallySaved ? error.cause : error),
    onSettled: () => refresh(client, 'users', 'user', 'payouts', 'stats'),
    meta: { session: 'admin' },
  })
}

/** Deletes a user for good. */
export function useDeleteUser() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => send('DELETE', addressOf(id)),
    onSuccess: () => toast('User deleted'),
    onError: (error) => toastRefusal('Delete failed', error, 'Failed to delete user'),
    onSettled: () => refresh(client, 'users', 'payouts', 'stats'),
    meta: { session: 'admin' },
  })
}

export interface CertificateToUpload {
  readonly userId: string
  readonly name: string
  /** Empty: the server takes today. */
  readonly issuedAt: string
  readonly file: File
}

/** Uploads a certificate; `onProgress` hears how much of it is on the way, from 0 to 1. */
export function useUploadCertificate(onProgress: (share: number) => void) {
  return useMutation({
    mutationFn: ({ userId, name, issuedAt, file }: CertificateToUpload) => {
      const form = new FormData()
      form.append('name', name)
      form.append('userId', userId)
      if (issuedAt !== '') form.append('issuedAt', issuedAt)
      form.append('certificateFile', file)
      return upload('/api/admin/certificates', form, onProgress)
    },
    onSuccess: () => toast('Certificate uploaded'),
    onError: (error) => toastRefusal('Upload failed', error, error instanceof ApiError ? 'Failed to upload certificate' : 'An unexpected error occurred'),
    meta: { session: 'admin' },
  })
}
