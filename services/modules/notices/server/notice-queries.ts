import type { QueryDependencies } from '#services/modules/dependencies.ts'
import type { Queries } from '#services/modules/module.ts'
import { createAccountTimelines } from '#services/modules/audit/server/account-timeline.ts'
import { actorFormatterForTraders } from '#services/modules/audit/audit-entry.ts'
import { ownTimeline } from '#services/modules/audit/server/timelines.ts'
import { noticeTypes } from '#services/modules/subjects.ts'
import { users as userStreams } from '#services/modules/users/user.ts'
import type { noticeRoutes } from '../notice-api.ts'
import { notices } from '../notice.ts'

/** The notices that the bell shows. */
const NOTICES = 20

/** What is new for a trader. */
export function noticeQueries(parts: QueryDependencies): Queries<typeof noticeRoutes> {
  const { repositories, secrets } = parts
  const timelines = createAccountTimelines(parts)
  const forTraders = actorFormatterForTraders((label) => secrets.requestDigest(`label of an access key: ${label}`))
  return {
    notices: {
      needs: [],
      handle: async ({ caller: { userId } }) => {
        const timeline = await ownTimeline(timelines, userId)
        const { mutedNotices } = (await repositories.of(userStreams).load(userId)).state
        const { upTo } = (await repositories.of(notices).load(userId)).state
        const byOthers = timeline.accountEntries.filter(({ type, actor }) => noticeTypes.has(type) && actor.kind !== 'trader')
        const entries = await timeline.readAuditEntries(byOthers.slice(-NOTICES), forTraders)
        return { body: { muted: [...mutedNotices], seenUpTo: upTo, entries: entries.toReversed() } }
      },
    },
  }
}
