import { infiniteQueryOptions, keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query'
import { AuditAccountFound, AuditFact, AuditMoments, AuditState } from '#services/modules/audit/audit-api.ts'
import { addressWith, getPage } from '@/api/api.ts'
import { FRESH, readQuery } from '@/query-client.ts'
import type { Audience } from './words.ts'

/** The history of accounts: any account's for auditors and administrators, the own one for its trader. */

/** Whose history is read. Auditors and traders ask for the same things at other addresses. */
export interface AuditSubject {
  readonly reader: Audience
  /** How the cache's keys begin, by what is read. */
  readonly key: (what: 'now' | 'state' | 'moments' | 'entries') => readonly string[]
  readonly state: string
  readonly moments: string
  readonly entries: string
}

/** The trader's own account. */
export const ownHistory: AuditSubject = {
  reader: 'trader',
  key: (what) => ['history', what],
  state: '/api/user/history/state',
  moments: '/api/user/history/moments',
  entries: '/api/user/history',
}

/** The account of any user, for auditors and administrators. */
export function historyOf(userId: string): AuditSubject {
  const path = `/api/audit/accounts/${encodeURIComponent(userId)}`
  return { reader: 'auditor', key: (what) => ['admin', 'audit', what, userId], state: path, moments: `${path}/moments`, entries: `${path}/facts` }
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

/** The account as it is. Its number is part of the keys of the other reads, which are past and never read again. */
export const nowQuery = ({ key, state }: AuditSubject) =>
  readQuery(key('now'), state, AuditState, {
    subjects: ['users', 'second-factors', 'accounts', 'payouts', 'certificates'],
    staleTime: 0,
  })

/** The account as it was right after an event; `now` answers for its own event. A newer request cancels an older one. */
export const stateQuery = ({ key, state }: AuditSubject, number: number | undefined, now?: AuditState) =>
  readQuery([...key('state'), number], addressWith(state, { at: number }), AuditState, {
    subjects: [],
    enabled: number !== undefined,
    initialData: () => (number === now?.number ? now : undefined),
    placeholderData: (previous) => previous ?? now,
    staleTime: FRESH.admin,
  })

/** The numbers and times of all events that pass a filter. `last` is the newest event: a newer one causes a new request. */
export const momentsQuery = ({ key, moments }: AuditSubject, filter: AuditEntryFilter, last: number) =>
  readQuery([...key('moments'), filter, last], addressWith(moments, { ...filter }), AuditMoments, {
    subjects: [],
    // While something new is read in; what passed another filter is no answer to this one.
    placeholderData: (previous, query) => (JSON.stringify(query?.queryKey.at(-2)) === JSON.stringify(filter) ? previous : undefined),
    staleTime: Infinity,
  })

/** The events between two numbers that pass a filter, oldest first. */
export const auditEntriesQuery = (
  { key, entries }: AuditSubject,
  between: { readonly from: number; readonly to: number },
  filter: Pick<AuditEntryFilter, 'type' | 'actor'>,
  limit: number,
) =>
  readQuery([...key('entries'), between, filter], addressWith(entries, { ...between, ...filter, limit }), AuditFact.array(), {
    subjects: [],
    staleTime: FRESH.admin,
  })

/** One event, in an array. The timeline usually has it already; the previous one stays visible while it loads. */
export const auditEntryQuery = (client: QueryClient, { key, entries }: AuditSubject, number: number | undefined) =>
  readQuery([...key('entries'), number], addressWith(entries, { from: number, to: number, limit: 1 }), AuditFact.array(), {
    subjects: [],
    enabled: number !== undefined,
    initialData: () => {
      const cached = client.getQueriesData<readonly AuditFact[]>({ queryKey: key('entries') })
      const entry = cached.flatMap(([, present = []]) => present).find((one) => one.number === number)
      return entry && [entry]
    },
    placeholderData: keepPreviousData,
    staleTime: FRESH.admin,
  })

/** The accounts that an address of the audit names, found by name, email, broker login or id; deleted people by id. */
export function accountsPageQuery(search: string | undefined, cursor: string | undefined) {
  const page = { search: search?.trim(), limit: 25, cursor }
  return queryOptions({
    queryKey: ['admin', 'audit', 'accounts', page],
    queryFn: ({ signal }) => getPage('/api/audit/accounts', AuditAccountFound.array(), page, signal),
    placeholderData: keepPreviousData,
    staleTime: FRESH.admin,
    meta: { session: 'admin', subjects: ['users', 'accounts'] },
  })
}

/** What was done in the whole firm, newest first, page by page. */
export const activityQuery = (filter: AuditEntryFilter) =>
  infiniteQueryOptions({
    queryKey: ['admin', 'audit', 'activity', filter],
    queryFn: ({ signal, pageParam }) => getPage<AuditFact>('/api/audit/facts', AuditFact.array(), { ...filter, limit: 50, cursor: pageParam }, signal),
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
