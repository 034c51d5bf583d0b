import { userStreams, endSessions } from '#services/identity/users/user.ts'
import { adminKeyStreams } from '#services/identity/staff/access-key.ts'
import type { signInRoutes } from '../sign-in-api.ts'
import { done } from '#services/framework/http/serve-route.ts'
import type { IdentityParts } from '#services/identity/parts.ts'
import type { Commands } from '#services/framework/module.ts'
import { endSessionsAround } from '#services/identity/authentication/ended-sessions.ts'

/**
 * Ending sessions other than by signing out: one's own, and by administrators those of a trader (ASVS 7.4.5, 7.5.2).
 */
export function sessionEndCommands({ repositories, sessions }: IdentityParts['commands']) {
  const users = repositories.of(userStreams)
  const adminKeys = repositories.of(adminKeyStreams)
  return {
    endOwnSessions: async ({ caller: { userId, session }, query: { id } }) => {
      await (id === undefined ? sessions.endAll('trader', userId, session) : sessions.endOne('trader', userId, id))
      return done((await users.load(userId)).position)
    },

    endStaffSessions: async ({ caller, query: { id } }) => {
      await (id === undefined
        ? sessions.endAll('admin', caller.id, caller.session)
        : sessions.endOne('admin', caller.id, id))
      return done((await adminKeys.load(caller.id)).position)
    },

    endUserSessions: async ({ params, context }) => {
      const { id } = params
      return done(
        (
          await endSessionsAround(sessions, { kind: 'trader', subject: id }, () =>
            users.decide(id, context, endSessions),
          )
        ).position,
      )
    },
  } satisfies Partial<Commands<typeof signInRoutes>>
}
