import { send } from '../../../api/api.ts'
import { readQuery } from '../../../query-client.ts'
import { sessionList } from '../../session/open-session-queries.ts'
import { adminChange } from '../admin-change.ts'
import type { UserName } from './user-management-queries.ts'

const addressOf = (user: string) => `/api/admin/user/${encodeURIComponent(user)}/sessions`

/** A trader's sessions. */
export const userSessionsQuery = (user: string) => readQuery(['admin', 'user', user, 'sessions'], addressOf(user), sessionList, { staleTime: 0 })

/** Ends every session of a trader. */
export const endUserSessions = adminChange({
  send: ({ id }: UserName) => send('DELETE', addressOf(id)),
  done: ({ id, fullName }) => ['Signed out everywhere', `${fullName} has to sign in again.`, id],
  failed: () => 'Update failed',
})

/** Removes the second factors of a trader who lost them. */
export const removeUserFactors = adminChange({
  send: ({ id }: UserName) => send('DELETE', `/api/admin/user/${encodeURIComponent(id)}/factors`),
  done: ({ id, fullName }) => ['Second factors removed', `${fullName} signs in with the password alone.`, id],
  failed: () => 'Update failed',
})
