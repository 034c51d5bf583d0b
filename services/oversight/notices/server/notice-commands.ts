import { done } from '#services/framework/http/serve-route.ts'
import type { OversightParts } from '#services/oversight/parts.ts'
import type { Commands } from '#services/framework/module.ts'
import { chooseNotices, userStreams } from '#services/identity/users/user.ts'
import type { noticeRoutes } from '../notice-api.ts'
import { noticeStreams, seeNotices } from '#services/identity/users/seen-notices.ts'

/** Which mails a trader gets, and which notices they have seen. */
export function noticeCommands({ repositories, throttle }: OversightParts['commands']): Commands<typeof noticeRoutes> {
  const users = repositories.of(userStreams)
  const notices = repositories.of(noticeStreams)
  return {
    changeNotices: async ({ caller: { userId }, body: { muted, seenUpTo }, context }) => {
      const tried = await throttle.attempt(['profilePerson', userId])
      const chosen = muted && (await users.decide(userId, context, (user) => chooseNotices(user, muted)))
      // Looking costs nothing: only a changed choice counts.
      if (!chosen?.events.length) await tried.refund()
      const seen =
        seenUpTo === undefined
          ? undefined
          : await notices.decide(userId, context, (state) => seeNotices(state, seenUpTo))
      return done((seen ?? chosen)?.position)
    },
  }
}
