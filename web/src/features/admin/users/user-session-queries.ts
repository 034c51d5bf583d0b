import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { OpenSession } from '../../../../../services/api/session-schemas.ts'
import { get, send } from '../../../api/api.ts'
import { sessionList } from '../../session/open-session-queries.ts'
import { adminChange } from '../admin-change.ts'

const addressOf = (user: string) => `/api/admin/user/${encodeURIComponent(user)}/sessions`

/** A trader's sessions. */
export const userSessionsQuery = (user: string) =>
  queryOptions({
    queryKey: ['admin', 'user', user, 'sessions'],
    queryFn: ({ signal }): Promise<OpenSession[]> => get(addressOf(user), sessionList, { signal }),
    staleTime: 0,
    meta: { session: 'admin' },
  })

/** Ends every session of a trader, by id. */
export const endUserSessions = (client: QueryClient) =>
  adminChange(client, {
    send: (user: string) => send('DELETE', addressOf(user)),
    done: () => ['Signed out everywhere', 'The trader has to sign in again.'],
    failed: () => 'Update failed',
    refreshes: ['user'],
  })

/** Removes the second factors of a trader who lost them, by id. */
export const removeUserFactors = (client: QueryClient) =>
  adminChange(client, {
    send: (user: string) => send('DELETE', `/api/admin/user/${encodeURIComponent(user)}/factors`),
    done: () => ['Second factors removed', 'The trader signs in with the password alone.'],
    failed: () => 'Update failed',
    refreshes: ['user'],
  })
