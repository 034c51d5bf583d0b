import { currentUserRoutes } from '#services/trading/traders/current-user-api.ts'
import type { QueryClient } from '@tanstack/react-query'
import { signInRoutes } from '#services/identity/sign-in/sign-in-api.ts'
import { ApiError } from '@/api/api-error.ts'
import { get } from '@/api/api.ts'
import type { Session } from '@/api/session.ts'
import { isEnding } from './session-queries.ts'

/** How long the answer with a session's new cookie may take, in ms. */
const RENEWAL_MS = 1_500

const readUser = () => get(currentUserRoutes.currentUser, {})

const sessionChecks: Readonly<Record<Session, () => Promise<unknown>>> = {
  trader: async () => {
    try {
      return await readUser()
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) throw error
      // A change of password in this browser gives its session a new cookie, which may still be on its way.
      await new Promise((resolve) => setTimeout(resolve, RENEWAL_MS))
      return readUser()
    }
  },
  admin: async () => {
    const { isAdmin } = await get(signInRoutes.adminAuth, {})
    if (!isAdmin) throw new ApiError(401, 'Not signed in with an access key')
  },
}

/**
 * Checks whether a session is still open. If it is not, the query client ends it in this page. A page that signs out
 * knows already.
 */
export async function checkSession(client: QueryClient, session: Session): Promise<void> {
  if (isEnding(session)) return
  await client
    .fetchQuery({
      queryKey: ['live', session],
      queryFn: sessionChecks[session],
      staleTime: 0,
      gcTime: 0,
      retry: false,
      meta: { session },
    })
    // The query client has handled the end of a session; a network error means nothing.
    .catch(() => {})
}
