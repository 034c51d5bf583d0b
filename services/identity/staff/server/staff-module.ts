import type { IdentityParts } from '#services/identity/parts.ts'
import type { Module, Policies, Queries } from '#services/framework/module.ts'
import { staffSubject } from '../staff-subject.ts'
import { type AdminKeyDocument, adminKeys } from '../member-read-model.ts'
import { staffCommands } from './staff-commands.ts'
import { isoTime } from '#services/framework/event-description.ts'
import { permissions } from '../permissions.ts'
import type { StaffMember, staffRoutes } from '../staff-api.ts'
import type { SessionStore } from '#infra/session-store/session-store.ts'
import { parseStreamName } from '#services/event-sourcing/aggregate-type.ts'
import type { DecidedEvent } from '#services/event-sourcing/aggregate-repository.ts'
import type { Context } from '#services/event-sourcing/codec/metadata.ts'
import { adminKeyId } from '#services/framework/ids.ts'
import { type AdminKeyEvent, adminKeyStreams } from '../access-key.ts'
import type { AdministratorsEvent } from '../administrators.ts'
import { completeRemoval, joinIfLasting } from './member-access.ts'

/** Members of staff that are listed, revoked ones included. */
const MOST_MEMBERS = 1_000

/** The permissions of each role, as the staff page shows them. */
const permissionRows = Object.entries(permissions).map(([name, { label, roles }]) => ({ name, label, roles }))

/** The members of staff. */
function staffQueries({ readModels, sessions }: IdentityParts['queries']): Queries<typeof staffRoutes> {
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

type Changed = Policies<AdminKeyEvent, IdentityParts>['AdminKeyChanged'] &
  Policies<AdminKeyEvent, IdentityParts>['AdminKeyReplaced']

const endAndJoin: Changed = async (event, context, parts) => {
  await endSessionsBefore(parts.sessions, parseStreamName(event.stream).id, event.at)
  await joinNow(event, context, parts)
}

/**
 * A change of a member's access ends the member's sessions, and updates the list of the administrators of whom one must
 * remain.
 */
const memberPolicies: Policies<AdminKeyEvent | AdministratorsEvent, IdentityParts> = {
  AdminKeyIssued: joinNow,
  AdminKeyChanged: endAndJoin,
  AdminKeyReplaced: endAndJoin,
  AdminKeyRevoked: ({ stream }, _context, { sessions }) => sessions.endAll('admin', parseStreamName(stream).id),
  AdministratorLeft: (event, context, { repositories }) =>
    completeRemoval(repositories, event.data, onBehalfOf(event, context)),
}

/** Ends a member's sessions from before a change of access; a session begun since has the new one. */
async function endSessionsBefore(sessions: SessionStore, member: string, at: number): Promise<void> {
  for (const { idHash, createdAt } of await sessions.list('admin', member))
    if (createdAt < at) await sessions.end(idHash)
}

/**
 * Adds the member whose stream the event is in to the administrators, if they are one whose key does not expire by now.
 */
async function joinNow(
  event: DecidedEvent,
  context: Context,
  { repositories }: IdentityParts['policies'],
): Promise<void> {
  const member = adminKeyId.parse(parseStreamName(event.stream).id)
  const { state } = await repositories.of(adminKeyStreams).load(member)
  await joinIfLasting(repositories, member, state, onBehalfOf(event, context))
}

/**
 * Who changed an access is named in all its events, whether the command or the worker is faster: two approvals depend
 * on it.
 */
function onBehalfOf({ metadata }: DecidedEvent, context: Context): Context {
  return { ...context, actor: metadata.actor }
}

export const staffModule: Module<typeof staffSubject, IdentityParts> = {
  subject: staffSubject,
  commands: staffCommands,
  queries: staffQueries,
  readModels: [adminKeys],
  policies: memberPolicies,
  erase: null,
}
