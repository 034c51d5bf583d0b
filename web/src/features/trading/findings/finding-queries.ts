import { type Finding, type FindingDetails, findingRoutes, MOST_SEEN } from '#services/trading/findings/finding-api.ts'
import { type QueryOf, sendAndParse } from '@/api/api.ts'
import { pageQuery, routeQuery } from '@/api/route-query.ts'
import { type Address, ROWS } from '@/lists/list-query.ts'

/** The findings of the rules. */

type FindingPage = QueryOf<typeof findingRoutes.findings>

/** The page of findings that an address of /admin/findings names; without a state, those that wait for staff. */
export function findingPageOf({ status = 'open', kind, cursor }: Address<'status' | 'kind' | 'cursor'>): FindingPage {
  return { state: status === 'all' ? undefined : status, kind, limit: ROWS, cursor }
}

const subjects = ['findings', 'observations', 'users', 'staff'] as const

export const findingsQuery = (query: FindingPage) => pageQuery(findingRoutes.findings, { query, subjects })

/** The first page of what waits: the navigation shows how much it is. */
export const openFindingsQuery = findingsQuery(findingPageOf({}))

/** A finding with the observations that prove it. */
export const findingQuery = (id: string) => routeQuery(findingRoutes.finding, { params: { id }, subjects })

export type FindingVerdict = 'confirm' | 'dismiss'

/** Whether staff have to decide a finding. */
export function waits({ state }: Pick<Finding, 'state'>): boolean {
  return state === 'proposed' || state === 'reopened'
}

/**
 * Sends a verdict on what was shown. The state afterwards shows whether it was the first of two confirmations.
 *
 * @param evidence The observations, if they were shown.
 */
export function sendVerdict(
  finding: Finding,
  evidence: FindingDetails['evidence'] | undefined,
  verdict: FindingVerdict,
  reason: string,
) {
  const { id, userName: name, kind, rule, floor, measured, at } = finding
  const shown = evidence?.slice(-MOST_SEEN).map(({ event: _event, ...observed }) => observed)
  const seen = { name, kind, rule: rule.kind, floor, measured, at, ...(shown && { evidence: shown }) }
  return verdict === 'confirm'
    ? sendAndParse(findingRoutes.confirmFinding, { params: { id }, body: { seen } })
    : sendAndParse(findingRoutes.dismissFinding, { params: { id }, body: { reason, seen } })
}
