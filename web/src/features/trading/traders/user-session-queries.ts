import { factorRoutes } from '#services/identity/second-factors/second-factor-api.ts'
import { signInRoutes } from '#services/identity/sign-in/sign-in-api.ts'
import { send } from '@/api/api.ts'
import { routeQuery } from '@/api/route-query.ts'
import { staffChange } from '@/features/frame/staff-change.ts'
import type { UserName } from '@/features/frame/staff-change.ts'

/** How traders sign in, as staff see and end it. */

/** Where a trader is signed in. */
export const userSessionsQuery = (id: string) =>
  routeQuery(signInRoutes.userSessions, { params: { id }, subjects: ['sign-in', 'users'] }, { staleTime: 0 })

/** Ends every session of a trader. */
export const endUserSessions = staffChange({
  send: ({ id }: UserName) => send(signInRoutes.endUserSessions, { params: { id } }),
  done: ({ id, fullName }) => ['Signed out everywhere', `${fullName} has to sign in again.`, id],
  failed: () => 'Update failed',
})

/** Removes the second factors of a trader who lost them. */
export const removeUserFactors = staffChange({
  send: ({ id }: UserName) => send(factorRoutes.removeUserFactors, { params: { id } }),
  done: ({ id, fullName }) => ['Second factors removed', `${fullName} signs in with the password alone.`, id],
  failed: () => 'Update failed',
})
