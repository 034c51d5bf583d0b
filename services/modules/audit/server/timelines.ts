import type { AccountTimeline, AccountTimelines } from './account-timeline.ts'
import { type UserId, userId } from '#services/modules/ids.ts'
import { HttpError, notSignedIn } from '#services/http/http-errors.ts'

/** The timeline of a user whom staff ask about. @throws {HttpError} 404 for an id that no user ever had. */
export async function timelineOf(timelines: AccountTimelines, id: string): Promise<AccountTimeline> {
  const { data } = userId.safeParse(id)
  const timeline = data && (await timelines.of(data))
  if (!timeline) throw new HttpError(404, { message: 'User not found' })
  return timeline
}

/**
 * The timeline of the trader who asks.
 *
 * @throws {HttpError} 401 once they are deleted: the session may outlive its user for a moment.
 */
export async function ownTimeline(timelines: AccountTimelines, id: UserId): Promise<AccountTimeline> {
  const timeline = await timelines.of(id)
  if (!timeline || timeline.accountEntries.some(({ type }) => type === 'UserDeleted')) throw notSignedIn()
  return timeline
}
