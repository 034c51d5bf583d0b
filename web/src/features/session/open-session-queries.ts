import { mutationOptions } from '@tanstack/react-query'
import { OpenSession } from '#services/modules/sign-in/sign-in-api.ts'
import { messageOf } from '@/api/api-error.ts'
import { addressWith, send } from '@/api/api.ts'
import { readQuery, type Session } from '@/query-client.ts'
import { toast, toastFailure } from '@/toast.ts'

/** One's own open sessions. */

const paths: Readonly<Record<Session, string>> = { trader: '/api/user/sessions', admin: '/api/admin/auth/sessions' }
/** Loads the schema of a list of sessions. */

/** One's own sessions. */
export const ownSessionsQuery = (kind: Session) =>
  readQuery(kind === 'admin' ? ['admin', 'sessions'] : ['sessions'], paths[kind], OpenSession.array(), {
    subjects: ['sign-in', 'users'],
    staleTime: 0,
  })

/** Ends one of one's own sessions, or without an id all but this one. */
export const endOwnSession = (kind: Session) =>
  mutationOptions({
    mutationFn: (id: string | undefined) => send('DELETE', addressWith(paths[kind], { id })),
    onSuccess: () => toast('Signed out', 'Pages that were open there are closed.'),
    onError: (error) => toastFailure('Update failed', messageOf(error)),
    onSettled: (_answer, _error, _id, _before, { client }) => client.invalidateQueries({ queryKey: ownSessionsQuery(kind).queryKey }),
    meta: { session: kind },
  })
