/**
 * Names of headers, cookies and the like, shared by client and server. Imports nothing, so that a browser's first page
 * need not load the schemas.
 */

/** The log position after a change. A read that sends it is answered at least that fresh (read your own writes). */
export const POSITION_HEADER = 'X-Proofdesk-Position'

/** The same as a short-lived cookie, so that a browser's other tabs send it too. */
export const POSITION_COOKIE = 'proofdesk-position'

/** The log position up to which an answer is complete: a client that listens for changes after it misses none. */
export const SHOWN_HEADER = 'X-Proofdesk-Shown'

/** The trader's session. Behind HTTPS the name starts with '__Host-'. */
export const SESSION_COOKIE = 'proofdesk-session'

/** The administrator's (or auditor's) session. Behind HTTPS the name starts with '__Host-'. */
export const ADMIN_COOKIE = 'proofdesk-admin'

/** Marks a request that must take effect once, however often it is sent. */
export const IDEMPOTENCY_HEADER = 'Idempotency-Key'

/**
 * The state that a verdict on a payout was based on: the `decidedAt` that the administrator saw, or 'undecided'. The
 * verdict is refused when another one was given since.
 */
export const BASED_ON_HEADER = 'X-Proofdesk-Based-On'

/** The SHA-256 of a file that is shown, lower-case hex. */
export const SHA256_HEADER = 'X-Proofdesk-Sha256'

/** The number of entries on all pages of a list. */
export const TOTAL_HEADER = 'X-Total-Count'

/** 'exact', or 'at-least' when counting further would take too long. */
export const TOTAL_RELATION_HEADER = 'X-Total-Count-Relation'

/** The next page of a list: `<…>; rel="next"`. */
export const LINK_HEADER = 'Link'

/** Seconds to wait before a retry (429, 503). */
export const RETRY_HEADER = 'Retry-After'

/** The cursor of the next page in a Link header; undefined on the last page. */
export function nextCursor(link: string | null | undefined): string | undefined {
  const [, query] = /<[^>?]*\?([^>]*)>; *rel="next"/.exec(link ?? '') ?? []
  return new URLSearchParams(query).get('cursor') ?? undefined
}
