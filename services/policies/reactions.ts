import { openAccount } from '#services/modules/accounts/account.ts'
import { adminKeyId, userId } from '#services/modules/ids.ts'
import type { RecordedEvent } from '#services/event-sourcing/codec/event-codec.ts'
import { type Context, systemContext } from '#services/event-sourcing/codec/metadata.ts'
import { accounts } from '#services/modules/account-aggregate.ts'
import { adminKeys } from '#services/modules/staff/access-key.ts'
import type { AnyEvent } from '#services/modules/subjects.ts'
import { parseStreamName } from '#services/event-sourcing/aggregate-type.ts'
import { completeDeletion, type DeletionDependencies } from '#services/use-cases/user-deletion.ts'
import { syncSuspension } from '#services/modules/users/server/account-suspension.ts'
import { completeRemoval, joinIfLasting } from '#services/modules/staff/server/member-access.ts'

/**
 * Does what an event leads to in other streams and stores. The command does the same at once; this is for the process that
 * died in between, so every step may find its work done.
 */
export async function reactToEvent(event: RecordedEvent<AnyEvent>, dependencies: DeletionDependencies): Promise<void> {
  const { repositories, sessions, addresses } = dependencies
  const context = causedBy(event)
  switch (event.type) {
    case 'UserRegistered':
    case 'UserCreated': {
      const owner = userId.parse(event.personId)
      await repositories.of(accounts).decide(owner, context, (account) => openAccount(account, owner))
      return
    }
    case 'ProfileChanged':
      if (event.personId && event.data.emailClaim && event.data.from.email !== undefined)
        await addresses.releasePrevious(event.personId, event.data.from.email, context, event.position)
      return
    case 'UserBanned':
    case 'UserUnbanned':
      if (event.personId) await syncSuspension(event.personId, dependencies)
      return
    case 'UserDeleted':
      await completeDeletion(userId.parse(event.personId), context, dependencies)
      return
    case 'AdminKeyIssued':
      await joinNow(event, dependencies)
      return
    case 'AdminKeyRevoked':
      await sessions.endAll('admin', parseStreamName(event.stream).id)
      return
    case 'AdminKeyChanged':
    case 'AdminKeyReplaced':
      await endSessionsBefore(sessions, parseStreamName(event.stream).id, event.at)
      await joinNow(event, dependencies)
      return
    case 'AdministratorLeft':
      await completeRemoval(repositories, event.data, onBehalfOf(event))
      return
    default:
      return
  }
}

/** Ends a member's sessions from before a change of access; a session begun since has the new one. */
async function endSessionsBefore(sessions: DeletionDependencies['sessions'], member: string, at: number): Promise<void> {
  for (const { idHash, createdAt } of await sessions.list('admin', member)) if (createdAt < at) await sessions.end(idHash)
}

/** Adds the member whose stream the event is in to the administrators, if they are one whose key does not expire by now. */
async function joinNow(event: RecordedEvent<AnyEvent>, { repositories }: DeletionDependencies): Promise<void> {
  const member = adminKeyId.parse(parseStreamName(event.stream).id)
  const { state } = await repositories.of(adminKeys).load(member)
  await joinIfLasting(repositories, member, state, onBehalfOf(event))
}

/** Who changed an access is named in all its events, whether the command or the worker is faster: two approvals depend on it. */
function onBehalfOf(event: RecordedEvent<AnyEvent>): Context {
  return { ...causedBy(event), actor: event.metadata.actor }
}

function causedBy({ id, metadata }: RecordedEvent<AnyEvent>): Context {
  return { ...systemContext('worker', metadata.requestId, id), correlationId: metadata.correlationId }
}
