import type { QueryClient } from '@tanstack/react-query'
import type { AnyRouter } from '@tanstack/react-router'
import type { AdminRole } from '#services/identity/staff/staff-api.ts'
import { ApiError, messageOf } from '@/api/api-error.ts'
import type { Session } from '@/api/session.ts'
import { forgetDrafts, keepDrafts } from '@/form/drafts.ts'
import { toastFailure } from '@/toast.ts'
import {
  shownBan,
  cancelReads,
  leave,
  markEnding,
  personOf,
  readsOf,
  userQuery,
} from '@/features/frame/session-queries.ts'
import type { SessionMessage } from '@/features/frame/other-tabs.ts'

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The page on which the session ended. In the history and not in the address, so that no link can set it. */
    returnTo?: string
    /** The token of a mailed link, once removed from the address. */
    resetToken?: string
  }
}

/** The toast of a banned account (specification §8), and the page with its reason. */
export function tellBan(reason: string | null): void {
  shownBan.set({ reason })
  const text = reason
    ? `Your account has been banned: ${reason}`
    : 'Your account has been banned. Please contact support for assistance.'
  toastFailure('Account Banned', text, { brief: true })
}

/** Why a sign-in failed. */
export function tellSignInFailure(error: unknown, options?: { readonly brief: boolean }): void {
  if (error instanceof ApiError && error.banned) tellBan(error.banned.reason)
  else toastFailure('Login failed', messageOf(error), options)
}

/**
 * Redirects to the sign-in screen when the server refuses a call because the session is over, and remembers the page
 * and what is typed there.
 * Without a known user no session ends here: the guard of the page redirects, without a toast.
 */
export function endSession(router: AnyRouter, client: QueryClient, session: Session, error: ApiError): void {
  if (session === 'trader' && !error.banned && !client.getQueryData(userQuery.queryKey)) return
  const { href, pathname } = router.state.location
  const onSignIn = pathname === '/auth'
  if (error.banned) tellBan(error.banned.reason)
  // Before the page goes; the words come after it, so that no form's own about the refused call replace them.
  const tell =
    error.banned || onSignIn
      ? () => {}
      : sessionEnd(personOf(client, isAdminPath(pathname) ? 'admin' : 'trader'), error)
  void leave(client, session, async () => {
    if (!onSignIn) await router.navigate({ to: '/auth', state: { returnTo: href }, replace: true })
    tell()
  })
}

/** By the code of the refusal. */
const endings: Readonly<Record<string, string>> = {
  'session-expired': 'It expired: it was not used for too long, or was as old as a session may be.',
  'session-ended': 'It was ended elsewhere: by a sign-out, a change of how you sign in, or your firm.',
}
/** Without a code the request came without a cookie, which browsers keep as long as a session may last. */
const DROPPED = 'Your browser does not have it any more: it was as old as a session may be, or cookies were deleted.'

/**
 * Keeps what is typed. @returns what says so: somebody who was not signed in had no session that could end.
 */
function sessionEnd(person: string | undefined, { code }: ApiError): () => void {
  if (person === undefined) return () => toastFailure('Authentication failed', 'Could not verify admin access.')
  const next = keepDrafts(person) ? 'Please sign in again: what you typed is kept.' : 'Please sign in again.'
  return () => toastFailure('Session ended', `${endings[code ?? ''] ?? DROPPED} ${next}`)
}

/**
 * Applies a sign-in or sign-out of another tab to this one, so that no tab shows data of a person who is no longer
 * signed in. It was deliberate: no toast, and no way back to the page after the next sign-in.
 */
export async function followOtherTab(
  router: AnyRouter,
  client: QueryClient,
  { session, what }: SessionMessage,
): Promise<void> {
  markEnding(session, what !== 'opened')
  if (what === 'ended') forgetDrafts(session)
  if (what === 'ending') return cancelReads(client, session)
  const onAdminPage = isAdminPath(router.state.location.pathname)
  if (session === 'admin' && what === 'ended' && onAdminPage)
    return leave(client, 'admin', () => router.navigate({ to: '/auth', replace: true }))
  if (session === 'trader' && what === 'ended' && !onAdminPage) {
    const isGuarded = router.state.matches.some(({ routeId }) => routeId === '/_trader')
    return leave(client, 'trader', () =>
      isGuarded ? router.navigate({ to: '/auth', replace: true }) : router.invalidate(),
    )
  }
  await client.resetQueries(readsOf(session))
  await router.invalidate()
}

/** Where to go after signing in: always a path of this app. Auditors start at the audit. */
export function returnPath(returnTo: string | undefined, session: Session, role: AdminRole = 'admin'): string {
  const home = session === 'trader' ? '/' : role === 'auditor' ? '/admin/audit' : '/admin/dashboard'
  if (returnTo === undefined || !/^\/(?![/\\])/.test(returnTo)) return home
  return isAdminPath(returnTo) === (session === 'admin') ? returnTo : home
}

/** Whether a path of this app is an administrators' page. */
export function isAdminPath(path: string): boolean {
  return /^\/admin(?:[/?#]|$)/.test(path)
}
