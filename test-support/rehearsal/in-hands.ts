/** A replica that was killed, at a moment between these two. */
export interface Kill {
  readonly service: string
  readonly from: number
  /** Its process had ended. */
  readonly to: number
}

interface Request {
  readonly call: 'GET' | 'POST' | 'PATCH'
  readonly sentAt: number
  readonly endedAt: number
}

/** The proxy learns at once that a connection has ended; its answer takes no longer than this, in ms. */
const TOLD_WITHIN = 1_000

/**
 * Whether a replica that was killed had this request: it serves such calls, the request was sent while it lived, and
 * the end of its connections ended it. Everything else the proxy must give to another replica.
 */
export function wasInHands({ call, sentAt, endedAt }: Request, kills: readonly Kill[]): boolean {
  const serving = call === 'GET' ? 'query' : 'command'
  return kills.some(
    ({ service, from, to }) => service === serving && sentAt <= to && endedAt >= from && endedAt <= to + TOLD_WITHIN,
  )
}
