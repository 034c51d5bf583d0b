import type { IdentityParts } from '#services/identity/parts.ts'
import type { Queries } from '#services/framework/module.ts'
import { isoTime } from '#services/framework/event-description.ts'
import { permissions } from '#services/identity/staff/permissions.ts'
import type { StaffMember, staffRoutes } from '../staff-api.ts'
import { type AdminKeyDocument, adminKeys } from '../member-read-model.ts'

/** Members of staff that are listed, revoked ones included. */
const MOST_MEMBERS = 1_000

/** The permissions of each role, as the staff page shows them. */
const permissionRows = Object.entries(permissions).map(([name, { label, roles }]) => ({ name, label, roles }))

/** The members of staff. */
export function staffQueries({ readModels, sessions }: IdentityParts['queries']): Queries<typeof staffRoutes> {
  /** The last use is that of an open session, which the session store has, or the last sign-in, which the log has. */
  const memberResponse = async ({
    id,
    label,
    role,
    issuedAt,
    keyIssuedAt,
    expiresAt,
    revokedAt,
    lastSignInAt,
  }: AdminKeyDocument): Promise<StaffMember> => {
    const [session] = await sessions.list('admin', id)
    const lastUsedAt = Math.max(session?.lastSeenAt ?? 0, lastSignInAt ?? 0)
    return {
      id,
      name: label,
      role,
      since: isoTime(issuedAt),
      keyIssuedAt: isoTime(keyIssuedAt),
      expiresAt: expiresAt === null ? null : isoTime(expiresAt),
      revokedAt: revokedAt === null ? null : isoTime(revokedAt),
      lastUsedAt: lastUsedAt === 0 ? null : isoTime(lastUsedAt),
    }
  }

  return {
    staff: {
      needs: [adminKeys],
      handle: async () => {
        const { documents } = await readModels.find(adminKeys, { limit: MOST_MEMBERS })
        return { body: { members: await Promise.all(documents.map(memberResponse)), permissions: permissionRows } }
      },
    },
  }
}
