import { HttpError } from '#services/framework/http/http-errors.ts'
import { limits } from '#services/framework/http/limits.ts'

/** The client of a live stream. */
export interface StreamClient {
  readonly session: string
  /** The id of a user or an access key. */
  readonly person: string
  readonly isStaff: boolean
  readonly network: string
}

const RETRY_SECONDS = 10

/**
 * Refuses a client one more live stream besides those open in this process, where it or the process has too many. Some
 * slots are reserved for staff.
 *
 * @throws {HttpError} 503 when the process has no slot left, 429 when the client has too many.
 */
export function assertSlotFree(
  { session, person, isStaff, network }: StreamClient,
  open: readonly StreamClient[],
): void {
  const { live } = limits
  if (open.length >= (isStaff ? live.most : live.most - live.reservedForStaff))
    throw new HttpError(503, { message: 'Too many open connections. Please try again in a moment.' }, RETRY_SECONDS)
  const reaches = (most: number, isSame: (other: StreamClient) => boolean) => open.filter(isSame).length >= most
  const hasTooMany =
    reaches(live.perSession, (other) => other.session === session) ||
    reaches(isStaff ? live.perAccessKey : live.perTrader, (other) => other.person === person) ||
    // Staff may share a crowded network, so their access key is counted instead.
    (!isStaff && reaches(live.perNetwork, (other) => !other.isStaff && other.network === network))
  if (hasTooMany)
    throw new HttpError(429, { message: 'You have too many open pages. Please close some of them.' }, RETRY_SECONDS)
}
