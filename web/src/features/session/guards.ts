import type { QueryClient } from '@tanstack/react-query'
import { redirect } from '@tanstack/react-router'
import { ApiError } from '../../api/api-error.ts'
import { toastFailure } from '../../toast.ts'
import { adminAuthQuery, userQuery } from './session-queries.ts'

/** Who may see a screen (specification §2). The server decides for itself; these lead people where they belong. */

interface Guarded {
  readonly context: { readonly queryClient: QueryClient }
}

/** The trader's pages: without a session, to the sign-in screen. */
export async function traderOnly({ context: { queryClient } }: Guarded) {
  const user = await currentUser(queryClient)
  if (!user) throw redirect({ to: '/auth', replace: true })
  return { user }
}

/** The sign-in screen: whoever is signed in goes home. */
export async function signedOutOnly({ context: { queryClient } }: Guarded): Promise<void> {
  if (await currentUser(queryClient)) throw redirect({ to: '/', replace: true })
}

/** The page /admin: asks the server whether this session is an administrator's. */
export async function adminOnly({ context: { queryClient } }: Guarded): Promise<void> {
  try {
    const { isAdmin } = await queryClient.fetchQuery(adminAuthQuery)
    if (isAdmin) return
  } catch {
    toastFailure('Authentication failed', 'Could not verify admin access.')
  }
  throw redirect({ to: '/auth', replace: true })
}

/** The signed-in user or null. A banned one counts as signed out: the watch on the session has told them why. */
export async function currentUser(queryClient: QueryClient) {
  try {
    return await queryClient.ensureQueryData(userQuery)
  } catch (error) {
    if (error instanceof ApiError && error.banned) return null
    throw error
  }
}
