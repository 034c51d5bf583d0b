import { queryOptions, useMutation, useQueryClient, type QueryClient } from '@tanstack/react-query'
import { ApiError } from '../../api/api-error.ts'
import { get, send, sendAndParse } from '../../api/api.ts'
import type {
  AdminAuth,
  AdminCredentials,
  Credentials,
  PasswordChange,
  PasswordForgotten,
  PasswordReset,
  ProfileChanges,
  Registration,
  SignedInAdmin,
  User,
} from '../../../../services/api/session-schemas.ts'
import { FRESH } from '../../query-client.ts'
import { notifyOtherTabs } from './other-tabs.ts'

/** Who is signed in, and the calls that open and end sessions (specification §5, §7). */

const schemas = () => import('../../../../services/api/session-schemas.ts')
const user = () => schemas().then(({ User }) => User)

/** The signed-in trader, or null. Asked once, for as long as the page lives; sign-in and sign-out write it (specification §7). */
export const userQuery = queryOptions({
  queryKey: ['user'],
  queryFn: async ({ signal }): Promise<User | null> => {
    try {
      return await get('/api/user', user, { signal })
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return null
      throw error
    }
  },
  staleTime: Infinity,
  gcTime: Infinity,
  retry: false,
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
})

/** Whether this browser's session belongs to an access key. */
export const adminAuthQuery = queryOptions({
  queryKey: ['admin', 'auth'],
  queryFn: ({ signal }): Promise<AdminAuth> => get('/api/admin/auth', () => schemas().then(({ AdminAuth }) => AdminAuth), { signal }),
  // Read again at every visit: the key may have been revoked.
  staleTime: 0,
  retry: false,
  meta: { session: 'admin' },
})

/** The same for what only adapts the screen to the role: the server refuses what the role does not allow. */
export const adminRoleQuery = queryOptions({ ...adminAuthQuery, staleTime: FRESH.admin })

/**
 * Ends a session in this page: nobody is signed in from now on, `go` leads to another screen, and only then everything
 * that was read is forgotten. The other way round the screen that is left would ask for it anew, and be refused. An
 * administrator's end says nothing about a trader's session in the same browser.
 */
export async function leave(client: QueryClient, session: 'trader' | 'admin', go: () => Promise<void>): Promise<void> {
  if (session === 'trader') client.setQueryData(userQuery.queryKey, null)
  await go()
  const known = client.getQueryData(userQuery.queryKey)
  client.clear()
  if (known !== undefined) client.setQueryData(userQuery.queryKey, known)
}

function useSessionOpened() {
  const client = useQueryClient()
  return (opened: User) => {
    client.clear()
    client.setQueryData(userQuery.queryKey, opened)
    notifyOtherTabs('trader', 'opened')
  }
}

export function useLogin() {
  const opened = useSessionOpened()
  return useMutation({
    mutationFn: (credentials: Credentials) => sendAndParse('POST', '/api/login', credentials, user),
    onSuccess: opened,
    meta: { session: 'none' },
  })
}

export function useRegister() {
  const opened = useSessionOpened()
  return useMutation({
    mutationFn: ({ confirmPassword: _, ...registration }: Registration) => sendAndParse('POST', '/api/register', registration, user),
    onSuccess: opened,
    meta: { session: 'none' },
  })
}

/** Whoever signs out is led away by {@link leave}. */
export function useLogout() {
  return useMutation({
    mutationFn: () => send('POST', '/api/logout'),
    onSuccess: () => notifyOtherTabs('trader', 'ended'),
    meta: { session: 'none' },
  })
}

export function useAdminLogin() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (credentials: AdminCredentials) =>
      sendAndParse<SignedInAdmin>('POST', '/api/admin/login', credentials, () => schemas().then(({ SignedInAdmin }) => SignedInAdmin)),
    onSuccess: () => {
      client.removeQueries({ queryKey: ['admin'] })
      notifyOtherTabs('admin', 'opened')
    },
    meta: { session: 'none' },
  })
}

export function useAdminLogout() {
  return useMutation({
    mutationFn: () => send('POST', '/api/admin/logout'),
    onSuccess: () => notifyOtherTabs('admin', 'ended'),
    meta: { session: 'none' },
  })
}

export function useForgotPassword() {
  return useMutation({ mutationFn: (request: PasswordForgotten) => send('POST', '/api/forgot-password', request), meta: { session: 'none' } })
}

export function useResetPassword() {
  return useMutation({ mutationFn: (reset: PasswordReset) => send('POST', '/api/reset-password', reset), meta: { session: 'none' } })
}

/** Changes email and address; the signed-in user is then read anew (specification §7). */
export function useChangeProfile() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (changes: ProfileChanges) => send('PATCH', '/api/user/profile', changes),
    onSuccess: () => client.invalidateQueries({ queryKey: userQuery.queryKey, refetchType: 'all' }),
  })
}

export function useChangePassword() {
  return useMutation({ mutationFn: (change: PasswordChange) => send('POST', '/api/user/change-password', change) })
}
