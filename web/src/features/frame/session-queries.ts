import { currentUserRoutes } from '#services/trading/traders/current-user-api.ts'
import { hashKey, mutationOptions, queryOptions, type Query, type QueryClient } from '@tanstack/react-query'
import { signInRoutes } from '#services/identity/sign-in/sign-in-api.ts'
import { type User } from '#services/identity/users/user-api.ts'
import { ApiError } from '@/api/api-error.ts'
import { get, send } from '@/api/api.ts'
import { queryParts, routeQuery } from '@/api/route-query.ts'
import type { Session } from '@/api/session.ts'
import { forgetDrafts, personOfSession } from '@/form/drafts.ts'
import { FRESH } from '@/query-client.ts'
import { createStore } from '@/store.ts'
import { notifyOtherTabs } from './other-tabs.ts'

/** Who is signed in, and how a session ends in this page (specification §5, §7). */

const currentUser = queryParts(currentUserRoutes.currentUser, { subjects: ['users'] })

/** The signed-in trader, or null. Read once per page load; sign-in and sign-out write it (specification §7). */
export const userQuery = queryOptions({
  ...currentUser,
  queryFn: async ({ client, signal }): Promise<User | null> => {
    try {
      return await get(currentUserRoutes.currentUser, {}, signal)
    } catch (error) {
      const isRefused = error instanceof ApiError && error.status === 401
      // The session of a known user is over: the query client says so, and leads to the sign-in screen.
      if (isRefused && !client.getQueryData(currentUser.queryKey)) return null
      throw error
    }
  },
  staleTime: Infinity,
  gcTime: Infinity,
  retry: false,
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
})

/**
 * Whether this browser's session belongs to an access key. Read again at every visit: the key may have been revoked.
 */
export const staffAuthQuery = routeQuery(
  signInRoutes.adminAuth,
  { session: 'admin', subjects: [] },
  { staleTime: 0, retry: false },
)

/** The same for what only adapts the screen to the role: the server refuses what the role does not allow. */
export const adminRoleQuery = queryOptions({ ...staffAuthQuery, staleTime: FRESH.admin })

/** What becomes of a mail to somebody: without a mail server nobody gets any. */
export function mailNote(client: QueryClient, gets: string): string {
  const auth = client.getQueryData(adminRoleQuery.queryKey)
  const folder = auth?.isAdmin ? auth.mailFolder : null
  return folder ? `There is no mail server: the mail goes into a file in ${folder}.` : gets
}

/** Who has a session, as far as this page knows; undefined for nobody. */
export function personOf(client: QueryClient, session: Session): string | undefined {
  const staff = client.getQueryData(adminRoleQuery.queryKey)
  const id = session === 'trader' ? client.getQueryData(userQuery.queryKey)?.id : staff?.isAdmin ? staff.id : undefined
  return id === undefined ? undefined : personOfSession(session, id)
}

/** Selects the cached reads of one kind of session. */
export const readsOf = (session: Session) => ({
  predicate: ({ meta }: Query) => (meta?.session ?? 'trader') === session,
})

/**
 * Forgets what was read for the person of a session. Who is signed in is written apart: a guard may be asking for it.
 */
export function forget(client: QueryClient, session: Session): void {
  const { predicate } = readsOf(session)
  client.removeQueries({ predicate: (query) => predicate(query) && query.queryHash !== hashKey(userQuery.queryKey) })
}

/** The sessions that this page or another tab is ending, or has ended, until the next sign-in. */
export const endingSessions = createStore<readonly Session[]>([])

export function markEnding(session: Session, begins: boolean): void {
  if (begins === isEnding(session)) return
  const others = endingSessions.get().filter((other) => other !== session)
  endingSessions.set(begins ? [...others, session] : others)
}

export function isEnding(session: Session): boolean {
  return endingSessions.get().includes(session)
}

/** Cancels reads in progress before their session ends: the server would refuse them. */
export function cancelReads(client: QueryClient, session: Session): Promise<void> {
  return client.cancelQueries(readsOf(session))
}

/**
 * Ends a session in this page. `go` navigates before the cache is cleared: otherwise the screen would read everything
 * again, and be refused. Ending an administrator's session keeps the trader's session of the same browser.
 */
export async function leave(client: QueryClient, session: Session, go: () => Promise<void>): Promise<void> {
  if (session === 'trader') client.setQueryData(userQuery.queryKey, null)
  await go()
  forget(client, session)
}

/** Signs out; the caller then calls {@link leave}. */
export const signOut = (session: Session) =>
  mutationOptions({
    mutationFn: (_: void) => send(session === 'admin' ? signInRoutes.adminLogout : signInRoutes.logout),
    onMutate: (_input, { client }) => {
      markEnding(session, true)
      notifyOtherTabs(session, 'ending')
      return cancelReads(client, session)
    },
    onSuccess: () => {
      forgetDrafts(session)
      notifyOtherTabs(session, 'ended')
    },
    onError: (_error, _input, _before, { client }) => {
      markEnding(session, false)
      notifyOtherTabs(session, 'opened')
      void client.invalidateQueries(readsOf(session))
    },
    meta: { session: 'none' },
  })

/** A change that gives the session a new cookie: reads with the old one would be refused. */
export const changeOfCookie = <Input, Answer>(session: Session, mutationFn: (input: Input) => Promise<Answer>) =>
  mutationOptions({
    mutationFn,
    onMutate: (_input, { client }) => cancelReads(client, session),
    onSettled: (_answer, _error, _input, _before, { client }) => void client.invalidateQueries(readsOf(session)),
    meta: { session },
  })

/** A ban that ended the session or refused the sign-in. */
export interface Ban {
  /** Null when none is known. */
  readonly reason: string | null
}

/** The ban that the sign-in screen shows, until it is dismissed or someone signs in. */
export const shownBan = createStore<Ban | undefined>(undefined)
