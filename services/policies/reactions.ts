import { openAccount } from '../domain/account/account.ts'
import { userId } from '../domain/ids.ts'
import type { Recorded } from '../event-sourcing/codec/event-codec.ts'
import { type Context, systemContext } from '../event-sourcing/codec/metadata.ts'
import { accounts, parseStreamName } from '../domain/streams.ts'
import { completeDeletion, type DeletionParts } from '../use-cases/user-deletion.ts'
import { suspendAsDecided } from '../use-cases/account-suspension.ts'

/**
 * Finishes what a fact leads to in other places. The command does the same right away; this is for the process that
 * died in between, so every step may find its work done.
 */
export async function react(fact: Recorded, parts: DeletionParts): Promise<void> {
  const { journal, sessions, addresses } = parts
  const context = causedBy(fact)
  switch (fact.type) {
    case 'UserRegistered':
    case 'UserCreated': {
      const owner = userId.parse(fact.userId)
      await journal.of(accounts).change(owner, context, (account) => openAccount(account, owner))
      return
    }
    case 'ProfileChanged':
      if (fact.userId && fact.data.emailClaim && fact.data.from.email !== undefined)
        await addresses.releaseFormer(fact.userId, fact.data.from.email, context, fact.position)
      return
    case 'UserBanned':
    case 'UserUnbanned':
      if (fact.userId) await suspendAsDecided(fact.userId, parts)
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

function causedBy({ id, metadata }: Recorded): Context {
  return { ...systemContext('worker', metadata.requestId, id), correlationId: metadata.correlationId }
}
