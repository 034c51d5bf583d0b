import type { QueryClient } from '@tanstack/react-query'
import { ApiError } from '../../api/api-error.ts'
import { get } from '../../api/api.ts'
import type { Session } from '../../query-client.ts'

/** Where changes are told from as they happen. */
export const LIVE_URL = '/api/live'

const schemas = () => import('../../../../services/api/session-schemas.ts')

const sessionChecks: Readonly<Record<Session, () => Promise<unknown>>> = {
  trader: () => get('/api/user', () => schemas().then(({ User }) => User)),
  admin: async () => {
    const { isAdmin } = await get('/api/admin/auth', () => schemas().then(({ AdminAuth }) => AdminAuth))
    if (!isAdmin) throw new ApiError(401, 'Not signed in with an access key')
  },
}

/** Asks whether a session is still open. When it is not, the watch on sessions leads to the sign-in screen. */
export async function checkSession(client: QueryClient, session: Session): Promise<void> {
  await client
    .fetchQuery({ queryKey: ['live', session], queryFn: sessionChecks[session], staleTime: 0, gcTime: 0, retry: false, meta: { session } })
    // What it means was told to the watch; trouble on the way means nothing.
    .catch(() => {})
}
