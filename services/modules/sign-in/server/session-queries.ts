import type { ListedSession, Session } from '#infra/session-store/session-store.ts'
import type { OpenSession } from '../sign-in-api.ts'
import { signInRoutes } from '../sign-in-api.ts'
import { users } from '#services/modules/users/user-read-model.ts'
import { HttpError } from '#services/http/http-errors.ts'
import { sessionId } from '#services/authentication/sessions.ts'
import type { QueryDependencies, RegisterQuery } from '#services/query/query-dependencies.ts'

/** Open sessions, for their owners and for administrators. */
export function registerSessionQueries(read: RegisterQuery, { readModels, sessions }: QueryDependencies): void {
  read(signInRoutes.ownSessions, [], async ({ caller: { userId, session } }) => ({ body: responseOf(await sessions.list('trader', userId), session) }))

  read(signInRoutes.staffSessions, [], async ({ caller: { id, session } }) => ({ body: responseOf(await sessions.list('admin', id), session) }))

  read(signInRoutes.userSessions, [users], async ({ params: { id }, caller: { session } }) => {
    if (!(await readModels.get(users, id))) throw new HttpError(404, { message: 'User not found' })
    return { body: responseOf(await sessions.list('trader', id), session) }
  })
}

function responseOf(sessions: readonly ListedSession[], current: Session): OpenSession[] {
  return sessions.map(({ idHash, createdAt, lastSeenAt, client }) => ({
    id: sessionId(idHash),
    browser: client.browser,
    address: client.address,
    since: new Date(createdAt).toISOString(),
    lastSeen: new Date(lastSeenAt).toISOString(),
    current: idHash === current.idHash,
  }))
}
