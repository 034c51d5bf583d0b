import type { FileStore } from '#infra/file-store/file-store.ts'
import type { MailTransport } from '#infra/mail-transport/mail-transport.ts'
import type { SessionStore } from '#infra/session-store/session-store.ts'
import { endAccount } from '#services/modules/account-aggregate.ts'
import type { UserId } from '#services/modules/ids.ts'
import type { Repositories } from '#services/event-sourcing/aggregate-repository.ts'
import type { Context } from '#services/event-sourcing/codec/metadata.ts'
import type { PersonKeys } from '#services/event-sourcing/crypto-shredding/person-keys.ts'
import { removeSecondFactors, userFactors } from '#services/modules/second-factors/second-factor.ts'
import { accounts } from '#services/modules/account-aggregate.ts'
import { users } from '#services/modules/users/user.ts'
import type { EmailAddresses } from '#services/modules/users/server/email-addresses.ts'

export interface DeletionDependencies {
  readonly repositories: Repositories
  readonly addresses: EmailAddresses
  readonly sessions: SessionStore
  readonly files: FileStore
  readonly mails: MailTransport
  readonly personKeys: PersonKeys
}

/** The folder of a user's files in the file store. */
export function userFilesPrefix(owner: UserId): string {
  return `certificates/${owner}/`
}

/**
 * Completes a user's deletion: the command does so at once, the worker after a crash in between. Every step may be
 * repeated. The key is destroyed last: until then a restart loses nothing.
 *
 * @returns the position that the account's closing reached.
 */
export async function completeDeletion(owner: UserId, context: Context, parts: DeletionDependencies) {
  const { repositories, addresses, sessions, files, mails, personKeys } = parts
  await sessions.endAll('trader', owner)
  // The reason of a ban is free text about the person.
  await sessions.suspend('trader', owner, null)
  const { position } = await repositories.of(accounts).decide(owner, context, endAccount)
  await repositories.of(userFactors).decide(owner, context, removeSecondFactors)
  const { state: user, position: left } = await repositories.of(users).load(owner)
  if (user.emailClaim) await addresses.release(owner, user.emailClaim, context, left)
  await files.removeAll(userFilesPrefix(owner))
  await mails.forget(owner)
  await personKeys.destroy(owner)
  return position
}
