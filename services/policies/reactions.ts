import { openAccount } from '../domain/account/account.ts'
import { userId } from '../domain/ids.ts'
import type { RecordedEvent } from '../event-sourcing/codec/event-codec.ts'
import { type Context, systemContext } from '../event-sourcing/codec/metadata.ts'
import { type AnyEvent, accounts, parseStreamName } from '../domain/streams.ts'
import { completeDeletion, type DeletionDependencies } from '../use-cases/user-deletion.ts'
import { syncSuspension } from '../use-cases/account-suspension.ts'

/**
 * Finishes what a fact leads to in other places. The command does the same right away; this is for the process that
 * died in between, so every step may find its work done.
 */
export async function reactToEvent(fact: RecordedEvent<AnyEvent>, parts: DeletionDependencies): Promise<void> {
  const { repositories, sessions, addresses } = parts
  const context = causedBy(fact)
  switch (fact.type) {
    case 'UserRegistered':
    case 'UserCreated': {
      const owner = userId.parse(fact.userId)
      await repositories.of(accounts).decide(owner, context, (account) => openAccount(account, owner))
      return
    }
    case 'ProfileChanged':
      if (fact.userId && fact.data.emailClaim && fact.data.from.email !== undefined)
        await addresses.releasePrevious(fact.userId, fact.data.from.email, context, fact.position)
      return
    case 'UserBanned':
    case 'UserUnbanned':
      if (fact.userId) await syncSuspension(fact.userId, parts)
      return
    case 'UserDeleted':
      await completeDeletion(userId.parse(fact.userId), context, parts)
      return
    case 'AdminKeyRevoked':
      await sessions.endAll('admin', parseStreamName(fact.stream).id)
      return
    default:
      return
  }
}

function causedBy({ id, metadata }: RecordedEvent<AnyEvent>): Context {
  return { ...systemContext('worker', metadata.requestId, id), correlationId: metadata.correlationId }
}
