import { signInRoutes } from '#services/identity/sign-in/sign-in-api.ts'
import { send } from '@/api/api.ts'
import { routeQuery } from '@/api/route-query.ts'
import { staffChange } from '@/features/shell/staff-change.ts'
import type { UserName } from '@/features/trading/traders/user-queries.ts'

/** Sessions of traders, as staff see and end them. */

/** Where a trader is signed in. */
export const userSessionsQuery = (id: string) =>
  routeQuery(signInRoutes.userSessions, { params: { id }, subjects: ['sign-in', 'users'] }, { staleTime: 0 })

/** Ends every session of a trader. */
export const endUserSessions = staffChange({
  send: ({ id }: UserName) => send(signInRoutes.endUserSessions, { params: { id } }),
  done: ({ id, fullName }) => ['Signed out everywhere', `${fullName} has to sign in again.`, id],
  failed: () => 'Update failed',
})
