/** Names of the headers and cookies that both sides of the wire have to agree on. */

/** Where the log stood after a change; sent with a read, the answer is at least that fresh (read your own writes). */
export const POSITION_HEADER = 'X-Proofdesk-Position'

/** The same as a short-lived cookie, so that a browser's other tabs read it too. */
export const POSITION_COOKIE = 'proofdesk-position'

/** The log position up to which a response is complete: a client that listens for changes from there misses none. */
export const SHOWN_HEADER = 'X-Proofdesk-Shown'

/** The trader's session. Behind HTTPS the name starts with '__Host-'. */
export const SESSION_COOKIE = 'proofdesk-session'

/** The administrator's (or auditor's) session. Behind HTTPS the name starts with '__Host-'. */
export const ADMIN_COOKIE = 'proofdesk-admin'

/** With a request that must take effect once, however often it is sent. */
export const IDEMPOTENCY_HEADER = 'Idempotency-Key'

/** How many entries a list has in all pages. */
export const TOTAL_HEADER = 'X-Total-Count'

/** 'exact', or 'at-least' when counting on would have taken too long. */
export const TOTAL_RELATION_HEADER = 'X-Total-Count-Relation'

/** The next page of a list: `<…>; rel="next"`. */
export const LINK_HEADER = 'Link'

/** Seconds to wait before another try (429, 503). */
export const RETRY_HEADER = 'Retry-After'
