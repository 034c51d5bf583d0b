import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { OpenSession } from '../../../../../services/api/session-schemas.ts'
import { get, send } from '../../../api/api.ts'
import { sessionList } from '../../session/open-session-queries.ts'
import { adminChange } from '../admin-change.ts'
import type { UserName } from './user-management-queries.ts'

const addressOf = (user: string) => `/api/admin/user/${encodeURIComponent(user)}/sessions`

/** A trader's sessions. */
export const userSessionsQuery = (user: string) =>
  queryOptions({
    queryKey: ['admin', 'user', user, 'sessions'],
    queryFn: ({ signal }): Promise<OpenSession[]> => get(addressOf(user), sessionList, { signal }),
    staleTime: 0,
    meta: { session: 'admin' },
  })

/** Ends every session of a trader. */
export const endUserSessions = (client: QueryClient) =>
  adminChange(client, {
    send: ({ id }: UserName) => send('DELETE', addressOf(id)),
    done: ({ id, fullName }) => ['Signed out everywhere', `${fullName} has to sign in again.`, id],
    failed: () => 'Update failed',
    refreshes: ['user'],
  })

/** Removes the second factors of a trader who lost them. */
export const removeUserFactors = (client: QueryClient) =>
  adminChange(client, {
    send: ({ id }: UserName) => send('DELETE', `/api/admin/user/${encodeURIComponent(id)}/factors`),
    done: ({ id, fullName }) => ['Second factors removed', `${fullName} signs in with the password alone.`, id],
    failed: () => 'Update failed',
    refreshes: ['user'],
  })
