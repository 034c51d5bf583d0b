import {
  keepPreviousData,
  type QueryClient,
  type QueryKey,
  type QueryMeta,
  queryOptions,
  type UndefinedInitialDataOptions,
} from '@tanstack/react-query'
import type { Route } from '#services/framework/api/route.ts'
import type { SubjectName } from '#services/oversight/event-catalogue.ts'
import { FRESH } from '@/query-client.ts'
import { type Answering, get, type Page, getPage, pathWith, type Question, type Target } from './api.ts'
import { type Session, sessionOf } from './session.ts'

/** Queries, made from the routes of the calls that they make. */

interface QueryNeeds {
  /**
   * The subjects that the answer shows: a live change of one reads it again. Empty for what is past or never announced.
   */
  readonly subjects: readonly SubjectName[]
  /** For a call that anyone may make, but that is about a session. */
  readonly session?: Session
  /** Further values that the answer depends on, besides the address and the body. */
  readonly alsoKey?: QueryKey
}

type Options<Answer> = Omit<UndefinedInitialDataOptions<Answer>, 'queryKey' | 'queryFn' | 'meta'>

/** The key and the meta data of a query: of the session, the path, and what it asks. */
export function queryParts<R extends Route>(
  route: R,
  { params, query, body, subjects, session, alsoKey = [] }: Target<R> & { readonly body?: unknown } & QueryNeeds,
) {
  const of = session ?? sessionOf(route)
  const request = [query, body].filter((part) => part !== undefined)
  const queryKey: QueryKey = [of, pathWith(route.path, params), ...request, ...alsoKey]
  return {
    queryKey,
    meta: { session: of, subjects } satisfies QueryMeta,
    staleTime: of === 'admin' ? FRESH.admin : FRESH.trader,
  }
}

/** A read of one thing or of a list without its total, for `useQuery` and loaders. */
export function routeQuery<R extends Route, Answer>(
  route: R & Answering<Answer>,
  needs: Question<R> & QueryNeeds,
  options: Options<NoInfer<Answer>> = {},
) {
  return queryOptions({ ...queryParts(route, needs), queryFn: ({ signal }) => get(route, needs, signal), ...options })
}

/** A read of a page of a list. The page before stays visible while another one loads. */
export function pageQuery<R extends Route, Item>(
  route: R & Answering<Item[]>,
  needs: Target<R> & QueryNeeds,
  options: Options<Page<NoInfer<Item>>> = {},
) {
  const { queryKey, ...parts } = queryParts(route, needs)
  return queryOptions({
    ...parts,
    // The same list read without its total is another answer.
    queryKey: [...queryKey, 'page'],
    queryFn: ({ signal }) => getPage(route, needs, signal),
    placeholderData: keepPreviousData,
    ...options,
  })
}

/**
 * Reads again what a session's pages show of these subjects, or without any what they show of all: what is visible now,
 * the rest when it is next shown.
 */
export function refetchSubjects(client: QueryClient, session: Session, changed?: readonly string[]): void {
  void client.invalidateQueries({
    predicate: ({ meta: { session: of = 'trader', subjects = [] } = {} }) =>
      of === session && subjects.some((subject) => changed?.includes(subject) ?? true),
  })
}
