import { infiniteQueryOptions, keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query'
import type { AuditAccountFound, AuditFact, AuditMoments, AuditState } from '../../../../services/api/audit-schemas.ts'
import { addressWith, get, getPage } from '../../api/api.ts'
import { ROWS } from '../admin/lists/list-query.ts'
import { FRESH, type Session } from '../../query-client.ts'

/** The history of accounts: any account's for auditors and administrators, the own one for its trader. */

const schemas = () => import('../../../../services/api/audit-schemas.ts')
const auditEntries = () => schemas().then(({ AuditFact }) => AuditFact.array())

/** Whose history is read. Auditors and traders ask for the same things at other addresses. */
export interface AuditSubject {
  /** How the cache's keys begin, by what is read. */
  readonly key: (what: 'now' | 'state' | 'moments' | 'entries') => readonly string[]
  readonly session: Session
  readonly state: string
  readonly moments: string
  readonly entries: string
}

/** The trader's own account. */
export const ownHistory: AuditSubject = {
  key: (what) => ['history', what],
  session: 'trader',
  state: '/api/user/history/state',
  moments: '/api/user/history/moments',
  entries: '/api/user/history',
}

/** The account of any user, for auditors and administrators. */
export function historyOf(userId: string): AuditSubject {
  const path = `/api/audit/accounts/${encodeURIComponent(userId)}`
  return { key: (what) => ['admin', 'audit', what, userId], session: 'admin', state: path, moments: `${path}/moments`, entries: `${path}/facts` }
}

/** Which events to read. */
export interface AuditEntryFilter {
  /** One type, or several with commas. */
  readonly type?: string | undefined
  readonly actor?: string | undefined
  /** A time, or an event's number. */
  readonly from?: string | undefined
  readonly to?: string | undefined
}

const state = () => schemas().then(({ AuditState }) => AuditState)

/** The account as it is. It tells whether anything happened since: the other reads go by its number. */
export const nowQuery = (subject: AuditSubject) =>
  queryOptions({
    queryKey: subject.key('now'),
    queryFn: ({ signal }): Promise<AuditState> => get(subject.state, state, { signal }),
    staleTime: 0,
    meta: { session: subject.session },
  })

/** The account as it was right after an event. A newer request cancels an older one. */
export const stateQuery = (subject: AuditSubject, number: number | undefined, before?: AuditState) =>
  queryOptions({
    queryKey: [...subject.key('state'), number],
    queryFn: ({ signal }): Promise<AuditState> => get(subject.state, state, { query: { at: number }, signal }),
    enabled: number !== undefined,
    placeholderData: (previous) => previous ?? before,
    staleTime: FRESH.admin,
    meta: { session: subject.session },
  })

/** The numbers and times of all events that pass a filter. `last` is the newest event: a newer one causes a new request. */
export const momentsQuery = (subject: AuditSubject, filter: AuditEntryFilter, last: number | undefined) =>
  queryOptions({
    queryKey: [...subject.key('moments'), filter, last],
    queryFn: ({ signal }): Promise<AuditMoments> =>
      get(subject.moments, () => schemas().then(({ AuditMoments }) => AuditMoments), { query: { ...filter }, signal }),
    enabled: last !== undefined,
    // While something new is read in; what passed another filter is no answer to this one.
    placeholderData: (previous, query) => (JSON.stringify(query?.queryKey.at(-2)) === JSON.stringify(filter) ? previous : undefined),
    staleTime: Infinity,
    meta: { session: subject.session },
  })

/** The events between two numbers that pass a filter, oldest first. */
export const auditEntriesQuery = (
  subject: AuditSubject,
  between: { readonly from: number; readonly to: number },
  filter: Pick<AuditEntryFilter, 'type' | 'actor'>,
  limit: number,
) =>
  queryOptions({
    queryKey: [...subject.key('entries'), between, filter],
    queryFn: async ({ signal }): Promise<readonly AuditFact[]> =>
      (await getPage<AuditFact>(subject.entries, auditEntries, { query: { ...between, ...filter, limit }, signal })).items,
    staleTime: FRESH.admin,
    meta: { session: subject.session },
  })

/** Events in the cache: pages, and single ones. */
type AuditEntryResult = readonly AuditFact[] | AuditFact | null

/** One event. The timeline usually has it already; the previous one stays visible while it loads. */
export const auditEntryQuery = (client: QueryClient, subject: AuditSubject, number: number | undefined) =>
  queryOptions({
    queryKey: [...subject.key('entries'), number],
    queryFn: async ({ signal }): Promise<AuditFact | null> =>
      (await getPage<AuditFact>(subject.entries, auditEntries, { query: { from: number, to: number, limit: 1 }, signal })).items[0] ?? null,
    enabled: number !== undefined,
    initialData: () =>
      client
        .getQueriesData<AuditEntryResult>({ queryKey: subject.key('entries') })
        .flatMap(([, entries]) => entries ?? [])
        .find((entry) => entry.number === number),
    placeholderData: keepPreviousData,
    staleTime: FRESH.admin,
    meta: { session: subject.session },
  })

/** Accounts by name, email, broker login or id; deleted people by id. */
export const accountsQuery = (page: { readonly search: string | undefined; readonly limit: number; readonly cursor: string | undefined }) =>
  queryOptions({
    queryKey: ['admin', 'audit', 'accounts', page],
    queryFn: ({ signal }) =>
      getPage<AuditAccountFound>('/api/audit/accounts', () => schemas().then(({ AuditAccountFound }) => AuditAccountFound.array()), {
        query: { ...page },
        signal,
      }),
    placeholderData: keepPreviousData,
    staleTime: FRESH.admin,
    meta: { session: 'admin' },
  })

/** The accounts that an address of the audit names. */
export const accountsPageQuery = (search: string | undefined, cursor: string | undefined) =>
  accountsQuery({ search: search?.trim(), limit: Number(ROWS), cursor })

/** What was done in the whole firm, newest first, page by page. */
export const activityQuery = (filter: AuditEntryFilter) =>
  infiniteQueryOptions({
    queryKey: ['admin', 'audit', 'deeds', filter],
    queryFn: ({ signal, pageParam }) => getPage<AuditFact>('/api/audit/facts', auditEntries, { query: { ...filter, limit: 50, cursor: pageParam }, signal }),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    staleTime: FRESH.admin,
    meta: { session: 'admin' },
  })

/** Where the whole story of an account is as a file. */
export function exportOf(userId: string, format: 'json' | 'csv'): string {
  return addressWith(`${historyOf(userId).state}/export`, { format })
}

/** What a trader can take home. */
export const downloads = { proof: '/api/user/history/proof', everything: '/api/user/export', verifier: '/verify.html' } as const
