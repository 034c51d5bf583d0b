import type { AccountTimeline, AccountTimelines } from './account-timeline.ts'
import { z } from 'zod'
import { accountNotFound } from '#services/trading/stream/account.ts'
import { accountId, type UserId, userId } from '#services/framework/ids.ts'
import { HttpError, notSignedIn } from '#services/framework/http/http-errors.ts'

/**
 * The timeline that staff ask for: of a user with all accounts, or of one account.
 *
 * @throws {HttpError} 404 for an id that no user and no account ever had.
 */
export async function timelineOf(timelines: AccountTimelines, id: string): Promise<AccountTimeline> {
  const { data } = z.union([userId, accountId]).safeParse(id)
  const timeline = data && (await timelines.of(data))
  if (!timeline) throw new HttpError(404, { message: 'User not found' })
  return timeline
}

/**
 * The timeline of the trader who asks, of one account or of all.
 *
 * @throws {HttpError} 401 once they are deleted: the session may outlive its user for a moment.
 * @throws {Refused} not-found, for an account that is not theirs.
 */
export async function ownTimeline(
  timelines: AccountTimelines,
  id: UserId,
  account: string | undefined,
): Promise<AccountTimeline> {
  const whole = await timelines.of(id)
  if (!whole || whole.accountEntries.some(({ type }) => type === 'UserDeleted')) throw notSignedIn()
  if (account === undefined) return whole
  const wanted = whole.accountIds.find((each) => each === account)
  const timeline = wanted && (await timelines.of(wanted))
  if (!timeline) throw accountNotFound()
  return timeline
}
