import { MutationCache, QueryCache, QueryClient, type QueryKey, queryOptions, type UndefinedInitialDataOptions } from '@tanstack/react-query'
import type { SubjectName } from '#services/modules/subjects.ts'
import { ApiError } from './api/api-error.ts'
import { get, type Schema } from './api/api.ts'

declare module '@tanstack/react-query' {
  interface Register {
    queryMeta: {
      readonly session?: Session | 'none'
      /** What the answer shows: it is read again when one of them changes. */
      readonly subjects?: readonly SubjectName[]
    }
    mutationMeta: { readonly session?: Session | 'none' }
  }
}

/** The session that a call needs: the trader's by default, 'none' for calls that open or end one. */
export type Session = 'trader' | 'admin'

/** How long cached data is fresh (specification §7, §9). */
export const FRESH = { trader: 5 * 60_000, adminTabs: 2 * 60_000, admin: 60_000 } as const

/**
 * The cache of the server's answers. Calls `onSessionEnd` for every refusal that means "this session is over", and
 * `onEnrolment` for those of a firm that requires a second factor first.
 */
export function createQueryClient(onSessionEnd: (session: Session, error: ApiError) => void, onEnrolment: () => void): QueryClient {
  const watch = (error: Error, session: Session | 'none' = 'trader') => {
    if (error instanceof ApiError && error.code === 'second-factor-enrolment-required') onEnrolment()
    if (session !== 'none' && error instanceof ApiError && (error.status === 401 || error.banned)) onSessionEnd(session, error)
  }
  return new QueryClient({
    queryCache: new QueryCache({ onError: (error, query) => watch(error, query.meta?.session) }),
    mutationCache: new MutationCache({ onError: (error, _variables, _result, mutation) => watch(error, mutation.meta?.session) }),
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

type ReadOptions<Answer> = Omit<UndefinedInitialDataOptions<NoInfer<Answer>, Error, NoInfer<Answer>>, 'queryKey' | 'queryFn' | 'meta'> & {
  /** What the answer shows. Empty for what is past or never announced. */
  readonly subjects: readonly SubjectName[]
}

/** A read of one address, for `useQuery` and loaders. The keys of administrators' reads begin with 'admin'. */
export function readQuery<Answer>(queryKey: QueryKey, path: string, schema: Schema<Answer>, { subjects, ...options }: ReadOptions<Answer>) {
  const session = queryKey[0] === 'admin' ? 'admin' : 'trader'
  return queryOptions({
    queryKey,
    queryFn: ({ signal }) => get(path, schema, signal),
    staleTime: FRESH[session],
    meta: { session, subjects },
    ...options,
  })
}

/**
 * Reads again what a session's pages show of these subjects, or without any what they show of all: what is visible now, the
 * rest when it is next shown.
 */
export function refetchSubjects(client: QueryClient, session: Session, changed?: readonly string[]): void {
  void client.invalidateQueries({
    predicate: ({ meta: { session: of = 'trader', subjects = [] } = {} }) => of === session && subjects.some((subject) => changed?.includes(subject) ?? true),
  })
}
