import { signInRoutes } from '../sign-in-api.ts'
import { endSessions } from '#services/modules/users/user.ts'
import { done } from '#services/authentication/serve-route.ts'
import type { CommandDependencies, RegisterCommand } from '#services/command/command-dependencies.ts'
import { endSessionsAround } from '#services/authentication/ended-sessions.ts'
import { existingUserId } from '#services/modules/users/server/user-commands.ts'

/** Ending sessions other than by signing out: one's own, and by administrators those of a trader (ASVS 7.4.5, 7.5.2). */
export function registerSessionEndCommands(register: RegisterCommand, { users, adminKeys, sessions }: CommandDependencies): void {
  register(signInRoutes.endOwnSessions, async ({ caller: { userId, session }, query: { id } }) => {
    await (id === undefined ? sessions.endAll('trader', userId, session) : sessions.endOne('trader', userId, id))
    return done((await users.load(userId)).position)
  })

  register(signInRoutes.endStaffSessions, async ({ caller, query: { id } }) => {
    await (id === undefined ? sessions.endAll('admin', caller.id, caller.session) : sessions.endOne('admin', caller.id, id))
    return done((await adminKeys.load(caller.id)).position)
  })

  register(signInRoutes.endUserSessions, async ({ params, context }) => {
    const id = existingUserId(params.id)
    return done((await endSessionsAround(sessions, { kind: 'trader', subject: id }, () => users.decide(id, context, endSessions))).position)
  })
}
