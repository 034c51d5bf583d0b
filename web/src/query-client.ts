import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import type { SubjectName } from '#services/oversight/event-catalogue.ts'
import { ApiError } from './api/api-error.ts'
import type { Session } from './api/session.ts'
import { dismissFailure } from './toast.ts'

declare module '@tanstack/react-query' {
  interface Register {
    queryMeta: {
      /** The trader's by default; 'none' for what is about no session. */
      readonly session?: Session | 'none'
      /** The subjects that the answer shows: it is read again when one of them changes. */
      readonly subjects?: readonly SubjectName[]
    }
    mutationMeta: {
      readonly session?: Session | 'none'
      /** No person asked for it, so it answers for nothing that failed before. */
      readonly inBackground?: true
    }
  }
}

/** How long cached data is fresh (specification §7, §9). */
export const FRESH = { trader: 5 * 60_000, adminTabs: 2 * 60_000, admin: 60_000 } as const

/**
 * The cache of the server's answers. Calls `onSessionEnd` for every refusal that means "this session is over", and
 * `onEnrolment` for those of a firm that requires a second factor first.
 */
export function createQueryClient(
  onSessionEnd: (session: Session, error: ApiError) => void,
  onEnrolment: () => void,
): QueryClient {
  const watch = (error: Error, session: Session | 'none' = 'trader') => {
    if (error instanceof ApiError && error.code === 'second-factor-enrolment-required') onEnrolment()
    if (session !== 'none' && error instanceof ApiError && (error.status === 401 || error.banned))
      onSessionEnd(session, error)
  }
  return new QueryClient({
    queryCache: new QueryCache({ onError: (error, query) => watch(error, query.meta?.session) }),
    mutationCache: new MutationCache({
      onError: (error, _variables, _result, mutation) => watch(error, mutation.meta?.session),
      // A failure on the screen ends with the success that follows: a new customer is not told that it failed.
      onSuccess: (_answer, _variables, _result, mutation) => mutation.meta?.inBackground || dismissFailure(),
    }),
    defaultOptions: {
      // While offline a change fails at once and says so: nothing is sent later that someone may have given up.
      mutations: { networkMode: 'always' },
      queries: {
        staleTime: FRESH.trader,
        // Retries network and server errors; a refusal (4xx) would be the same again.
        retry: (count, error) => count < 2 && !(error instanceof ApiError && error.status >= 400 && error.status < 500),
      },
    },
  })
}
