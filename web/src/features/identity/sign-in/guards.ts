import { CancelledError, type QueryClient } from '@tanstack/react-query'
import { redirect } from '@tanstack/react-router'
import { ApiError } from '@/api/api-error.ts'
import { toastFailure } from '@/toast.ts'
import { staffAuthQuery, userQuery } from '@/features/frame/session-queries.ts'

/** Who may see a screen (specification §2). The server checks every call itself; the guards only redirect. */

interface Guarded {
  readonly context: { readonly queryClient: QueryClient }
  readonly location: { readonly href: string }
}

/** To the sign-in screen, and from there to the page that was asked for: links in mails lead to their target. */
const toSignIn = ({ href }: Guarded['location']) =>
  redirect({ to: '/auth', replace: true, state: href === '/' ? {} : { returnTo: href } })

/** The trader's pages: without a session, to the sign-in screen. */
export async function traderOnly({ context: { queryClient }, location }: Guarded): Promise<void> {
  if (!(await currentUser(queryClient))) throw toSignIn(location)
}

/** The same where the answer is known already: then the pages load nothing. */
export function refuseStrangers({ context: { queryClient }, location }: Guarded): void {
  if (queryClient.getQueryData(userQuery.queryKey) === null) throw toSignIn(location)
}

/** The sign-in screen: a signed-in trader goes to the dashboard. */
export async function signedOutOnly({ context: { queryClient } }: Pick<Guarded, 'context'>): Promise<void> {
  if (await currentUser(queryClient)) throw redirect({ to: '/', replace: true })
}

/** The page /admin: asks the server whether this session is an administrator's. */
export async function adminOnly({ context: { queryClient } }: Pick<Guarded, 'context'>): Promise<void> {
  try {
    const { isAdmin } = await queryClient.fetchQuery(staffAuthQuery)
    if (isAdmin) return
  } catch (error) {
    if (error instanceof CancelledError) return adminOnly({ context: { queryClient } })
    toastFailure('Authentication failed', 'Could not verify admin access.')
  }
  // The sign-in screen begins with its tabs (specification §2), and staff land on their dashboard.
  throw toSignIn({ href: '/' })
}

/**
 * The signed-in user or null. A banned user counts as signed out: the query client has shown the reason. A sign-in or
 * sign-out, here or in another tab, cancels the read: then the next answer counts.
 */
export async function currentUser(queryClient: QueryClient) {
  try {
    return await queryClient.ensureQueryData(userQuery)
  } catch (error) {
    if (error instanceof CancelledError) return currentUser(queryClient)
    if (error instanceof ApiError && error.banned) return null
    throw error
  }
}
