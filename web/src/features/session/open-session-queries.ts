import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import type { OpenSession } from '../../../../services/api/session-schemas.ts'
import { messageOf } from '../../api/api-error.ts'
import { addressWith, get, send } from '../../api/api.ts'
import type { Session } from '../../query-client.ts'
import { toast, toastFailure } from '../../toast.ts'

/** One's own open sessions. */

const paths: Readonly<Record<Session, string>> = { trader: '/api/user/sessions', admin: '/api/admin/auth/sessions' }
/** Loads the schema of a list of sessions. */
export const sessionList = () => import('../../../../services/api/session-schemas.ts').then(({ OpenSession }) => OpenSession.array())

/** One's own sessions. */
export const ownSessionsQuery = (kind: Session) =>
  queryOptions({
    queryKey: [...(kind === 'admin' ? ['admin'] : []), 'sessions'],
    queryFn: ({ signal }): Promise<OpenSession[]> => get(paths[kind], sessionList, { signal }),
    staleTime: 0,
    meta: { session: kind },
  })

/** Ends one of one's own sessions, or without an id all but this one. */
export function useEndSession(kind: Session) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string | undefined) => send('DELETE', addressWith(paths[kind], { id })),
    onSuccess: () => toast('Signed out', 'Pages that were open there are closed.'),
    onError: (error) => toastFailure('Update failed', messageOf(error, 'Please try again in a moment.')),
    onSettled: () => client.invalidateQueries({ queryKey: ownSessionsQuery(kind).queryKey }),
    meta: { session: kind },
  })
}
