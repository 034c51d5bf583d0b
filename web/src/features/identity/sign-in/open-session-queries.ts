import { mutationOptions } from '@tanstack/react-query'
import { signInRoutes } from '#services/identity/sign-in/sign-in-api.ts'
import { messageOf } from '@/api/api-error.ts'
import { send } from '@/api/api.ts'
import { routeQuery } from '@/api/route-query.ts'
import type { Session } from '@/api/session.ts'
import { toast, toastFailure } from '@/toast.ts'

/** One's own open sessions. */

const { ownSessions, endOwnSessions, staffSessions, endStaffSessions } = signInRoutes
const calls = {
  trader: { sessions: ownSessions, end: endOwnSessions },
  admin: { sessions: staffSessions, end: endStaffSessions },
} as const

/** One's own sessions. */
export const ownSessionsQuery = (kind: Session) =>
  routeQuery(calls[kind].sessions, { subjects: ['sign-in', 'users'] }, { staleTime: 0 })

/** Ends one of one's own sessions, or without an id all but this one. */
export const endOwnSession = (kind: Session) =>
  mutationOptions({
    mutationFn: (id: string | undefined) => send(calls[kind].end, { query: { id } }),
    onSuccess: () => toast('Signed out', 'Pages that were open there are closed.'),
    onError: (error) => toastFailure('Update failed', messageOf(error)),
    onSettled: (_answer, _error, _id, _before, { client }) =>
      client.invalidateQueries({ queryKey: ownSessionsQuery(kind).queryKey }),
    meta: { session: kind },
  })
