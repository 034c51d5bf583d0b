import { infiniteQueryOptions, keepPreviousData, type QueryClient } from '@tanstack/react-query'
import { auditRoutes, type AuditState } from '#services/oversight/audit/audit-api.ts'
import type { AuditEvent } from '#services/oversight/audit/audit-event-api.ts'
// oxlint-disable-next-line no-restricted-imports -- this loads with the pages of the history only
import { subjectsOfUsers } from '#services/oversight/event-catalogue.ts'
import { addressOf, getPage } from '@/api/api.ts'
import { pageQuery, queryParts, routeQuery } from '@/api/route-query.ts'
import { FRESH } from '@/query-client.ts'
import type { Audience } from './words.ts'

/** The history of accounts: any account's for auditors and administrators, the own one for its trader. */

/** The subject of a history, and its reader. Auditors and traders ask for the same things by other calls. */
export interface AuditSubject {
  readonly reader: Audience
  /** The user or the account, in an auditor's calls. */
  readonly params?: { readonly id: string }
  /** The account, in a trader's calls; without one they are about all. */
  readonly query: { readonly account?: string | undefined }
}

const calls = {
  trader: { state: auditRoutes.ownState, moments: auditRoutes.ownMoments, entries: auditRoutes.ownStory },
  auditor: {
    state: auditRoutes.auditAccount,
    moments: auditRoutes.auditMoments,
    entries: auditRoutes.auditAccountEvents,
  },
} as const

/** One of the trader's own accounts, or all of them. */
export function ownHistory(account: string | undefined): AuditSubject {
  return { reader: 'trader', query: { account } }
}

/** Any user with all accounts, or any account, for auditors and administrators. */
export function historyOf(id: string): AuditSubject {
  return { reader: 'auditor', params: { id }, query: {} }
}

/** Which events to read. */
export interface AuditEntryFilter {
  /** One type, or several with commas. */
  readonly type?: string | undefined
  readonly actor?: string | undefined
  /** A time, or an event's number. */
  readonly from?: string | undefined
  readonly to?: string | undefined
  /** Words that they contain; of one history only. */
  readonly search?: string | undefined
}

/** The account as it is. Its number is part of the keys of the other reads, which are past and never read again. */
export const nowQuery = ({ reader, params, query }: AuditSubject) =>
  routeQuery(calls[reader].state, { params, query, subjects: subjectsOfUsers }, { staleTime: 0 })

/**
 * The account as it was right after an event; `now` answers for its own event. A newer request cancels an older one.
 */
export const stateQuery = ({ reader, params, query }: AuditSubject, number: number | undefined, now?: AuditState) =>
  routeQuery(
    calls[reader].state,
    { params, query: { ...query, at: number }, subjects: [] },
    {
      enabled: number !== undefined,
      initialData: () => (number === now?.number ? now : undefined),
      placeholderData: (previous) => previous ?? now,
      staleTime: FRESH.admin,
    },
  )

/**
 * The numbers and times of all events that pass a filter. `last` is the newest event: a newer one causes a new request.
 */
export const momentsQuery = ({ reader, params, query: of }: AuditSubject, filter: AuditEntryFilter, last: number) => {
  const request = { ...of, ...filter }
  return routeQuery(
    calls[reader].moments,
    { params, query: request, subjects: [], alsoKey: [last] },
    {
      // While something new is read in; what passed another filter is no answer to this one.
      placeholderData: (previous, query) =>
        JSON.stringify(query?.queryKey.at(-2)) === JSON.stringify(request) ? previous : undefined,
      staleTime: Infinity,
    },
  )
}

/** The events between two numbers that pass a filter, oldest first. */
export const auditEntriesQuery = (
  { reader, params, query }: AuditSubject,
  between: { readonly from: number; readonly to: number },
  filter: Pick<AuditEntryFilter, 'type' | 'actor' | 'search'>,
  limit: number,
) =>
  routeQuery(
    calls[reader].entries,
    { params, query: { ...query, ...between, ...filter, limit }, subjects: [] },
    { staleTime: FRESH.admin },
  )

/** One event, in an array. The timeline usually has it already; the previous one stays visible while it loads. */
export const auditEntryQuery = (
  client: QueryClient,
  { reader, params, query }: AuditSubject,
  number: number | undefined,
) => {
  const call = calls[reader].entries
  const { queryKey } = queryParts(call, { params, subjects: [] })
  return routeQuery(
    call,
    { params, query: { ...query, from: number, to: number, limit: 1 }, subjects: [] },
    {
      enabled: number !== undefined,
      initialData: () => {
        const cached = client.getQueriesData<AuditEvent[]>({ queryKey })
        const entry = cached.flatMap(([, present = []]) => present).find((one) => one.number === number)
        return entry && [entry]
      },
      placeholderData: keepPreviousData,
      staleTime: FRESH.admin,
    },
  )
}

/** The accounts that an address of the audit names, found by name, email, broker login or id; deleted people by id. */
export const accountsPageQuery = (search: string | undefined, cursor: string | undefined) =>
  pageQuery(auditRoutes.auditAccounts, {
    query: { search: search?.trim(), limit: 25, cursor },
    subjects: ['users', 'accounts'],
  })

/** Reads the activity of the whole firm, newest first, page by page. */
export const activityQuery = (filter: AuditEntryFilter) =>
  infiniteQueryOptions({
    ...queryParts(auditRoutes.auditEvents, { query: filter, subjects: [] }),
    queryFn: ({ signal, pageParam }) =>
      getPage(auditRoutes.auditEvents, { query: { ...filter, limit: 50, cursor: pageParam } }, signal),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
  })

/** Where the events that pass the filters are as a file. */
export function activityFile(filter: AuditEntryFilter): string {
  return addressOf(auditRoutes.activityExport, { query: filter })
}

/** Where the whole story of an account is as a file. */
export function exportOf(userId: string, format: 'json' | 'csv'): string {
  return addressOf(auditRoutes.auditExport, { params: { id: userId }, query: { format } })
}

/** The history of one of a trader's accounts, or of all, as a file that proves itself. */
export function ownProofOf({ query }: AuditSubject): string {
  return addressOf(auditRoutes.ownProof, { query })
}

/** Further files that a trader can download. */
export const downloads = {
  everything: addressOf(auditRoutes.ownExport),
  verifier: addressOf(auditRoutes.verifyFile),
} as const
