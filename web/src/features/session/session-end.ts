import type { QueryClient } from '@tanstack/react-query'
import type { AnyRouter } from '@tanstack/react-router'
import type { AdminRole } from '../../../../services/api/session-schemas.ts'
import type { ApiError } from '../../api/api-error.ts'
import type { Session } from '../../query-client.ts'
import { toastFailure } from '../../toast.ts'
import type { SessionMessage } from './other-tabs.ts'
import { leave } from './session-queries.ts'

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Where the person was when the session ended. In the history and not in the address: nobody else can set it. */
    returnTo?: string
    /** The token of a mailed link, after it was taken out of the address. */
    resetToken?: string
  }
}

/** The toast of a banned account (specification §8). */
export function toastBanned(reason: string | null): void {
  toastFailure('Account Banned', reason ? `Your account has been banned: ${reason}` : 'Your account has been banned. Please contact support for assistance.')
}

/** Leads to the sign-in screen when a call is refused because the session is over, and remembers where the person was. */
export function endSession(router: AnyRouter, client: QueryClient, session: Session, error: ApiError): void {
  const { href, pathname } = router.state.location
  const onSignIn = pathname === '/auth'
  if (error.banned) toastBanned(error.banned.reason)
  else if (!onSignIn && session === 'admin') toastFailure('Authentication failed', 'Could not verify admin access.')
  else if (!onSignIn) toastFailure('Session ended', 'Please sign in again.')
  void leave(client, session, async () => {
    if (!onSignIn) await router.navigate({ to: '/auth', state: { returnTo: href }, replace: true })
  })
}

/**
 * Does in this tab what a sign-in or sign-out in another one means: nobody sees anything of somebody who is signed out,
 * or under the name of somebody else. Nothing is said about it, and nobody is led back: it was no accident.
 */
export async function followOtherTab(router: AnyRouter, client: QueryClient, { session, what }: SessionMessage): Promise<void> {
  const onAdminPage = isAdminPath(router.state.location.pathname)
  if (session === 'admin' && what === 'ended' && onAdminPage) return leave(client, 'admin', () => router.navigate({ to: '/auth', replace: true }))
  // Without a user, the guard of the page leads away.
  if (session === 'trader' && what === 'ended' && !onAdminPage) return leave(client, 'trader', () => router.invalidate())
  await client.resetQueries({ predicate: ({ queryKey: [first] }) => (first === 'admin') === (session === 'admin') })
  await router.invalidate()
}

/** Where to go after signing in: only ever a path of this app. An auditor begins where there is something to look into. */
export function returnPath(returnTo: string | undefined, session: Session, role: AdminRole = 'admin'): string {
  const home = session === 'trader' ? '/' : role === 'auditor' ? '/admin/audit' : '/admin/dashboard'
  if (returnTo === undefined || !/^\/(?![/\\])/.test(returnTo)) return home
  return isAdminPath(returnTo) === (session === 'admin') ? returnTo : home
}

function isAdminPath(path: string): boolean {
  return /^\/admin(?:[/?#]|$)/.test(path)
}
