import { permissionsOf } from '#services/identity/staff/permissions.ts'
import type { ListedSession, Session } from '#infra/session-store/session-store.ts'
import type { signInRoutes, OpenSession } from '../sign-in-api.ts'
import { userStreams } from '#services/identity/users/user.ts'
import { HttpError } from '#services/framework/http/http-errors.ts'
import { sessionId } from '#services/identity/authentication/sessions.ts'
import type { IdentityParts } from '#services/identity/parts.ts'
import { mailFolderOf } from '#services/process/data-folder.ts'
import type { Queries } from '#services/framework/module.ts'

/** Open sessions, for their owners and for administrators. */
export function sessionQueries({ repositories, sessions, accessControl, config }: IdentityParts['queries']) {
  return {
    adminAuth: {
      needs: [],
      handle: async ({ request }) => {
        const admin = await accessControl.adminOf(request)
        if (!admin) return { body: { isAdmin: false } }
        const { id, role, label } = admin
        return {
          body: { isAdmin: true, id, role, label, permissions: permissionsOf(role), mailFolder: mailFolderOf(config) },
        }
      },
    },

    ownSessions: {
      needs: [],
      handle: async ({ caller: { userId, session } }) => ({
        body: responseOf(await sessions.list('trader', userId), session),
      }),
    },

    staffSessions: {
      needs: [],
      handle: async ({ caller: { id, session } }) => ({ body: responseOf(await sessions.list('admin', id), session) }),
    },

    userSessions: {
      needs: [],
      handle: async ({ params: { id }, caller: { session } }) => {
        if (!(await repositories.of(userStreams).load(id)).state.exists)
          throw new HttpError(404, { message: 'User not found' })
        return { body: responseOf(await sessions.list('trader', id), session) }
      },
    },
  } satisfies Partial<Queries<typeof signInRoutes>>
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
