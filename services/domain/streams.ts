import { type AccountEvent, account, accountEvents, type Account } from './account/account.ts'
import { type AdminKey, type AdminKeyEvent, adminKey, adminKeyEvents } from './staff/access-key.ts'
import type { Decider } from '../event-sourcing/decider.ts'
import { type EmailClaim, type EmailClaimEvent, emailClaim, emailClaimEvents } from './user/email-claim.ts'
import type { DomainEvent, EventDefinitions } from '../event-sourcing/event-definitions.ts'
import { type Installation, type InstallationEvent, installation, installationEvents } from './installation/installation.ts'
import { type MailAbout, mailAbout, type MailEvent, mailEvents } from './mail/mail.ts'
import { type SealEvent, sealEvents, seals as sealsDecider, type Seals } from './seal/seal.ts'
import { type User, type UserEvent, user, userEvents } from './user/user.ts'

/** A kind of stream: how its streams are named, what may stand in them and how they fold. */
export interface StreamKind<State, Event extends DomainEvent> {
  /** A stream's name is '<category>-<id>'. */
  readonly category: string
  readonly decider: Decider<State, Event>
  readonly definitions: EventDefinitions
}

export const users: StreamKind<User, UserEvent> = { category: 'user', decider: user, definitions: userEvents }
export const accounts: StreamKind<Account, AccountEvent> = { category: 'account', decider: account, definitions: accountEvents }
export const adminKeys: StreamKind<AdminKey, AdminKeyEvent> = { category: 'admin', decider: adminKey, definitions: adminKeyEvents }
export const emailClaims: StreamKind<EmailClaim, EmailClaimEvent> = {
  category: 'email',
  decider: emailClaim,
  definitions: emailClaimEvents,
}

export const installations: StreamKind<Installation, InstallationEvent> = {
  category: 'installation',
  decider: installation,
  definitions: installationEvents,
}

/** One for each mail that was sent, named after the id of the fact that it is about. */
export const mails: StreamKind<MailAbout, MailEvent> = { category: 'mail', decider: mailAbout, definitions: mailEvents }

/** There is one chain of seals a log. */
export const seals: StreamKind<Seals, SealEvent> = { category: 'seals', decider: sealsDecider, definitions: sealEvents }

/** How the names of all our streams begin: a log that others write into as well is read by them. */
export const streamPrefixes = [users, accounts, adminKeys, emailClaims, installations, mails, seals].map((kind) => streamName(kind, ''))

/** Every event of the firm, whatever its stream. */
export type AnyEvent = UserEvent | AccountEvent | AdminKeyEvent | EmailClaimEvent | InstallationEvent | MailEvent | SealEvent

export const definitions: EventDefinitions = {
  ...userEvents,
  ...accountEvents,
  ...adminKeyEvents,
  ...emailClaimEvents,
  ...installationEvents,
  ...mailEvents,
  ...sealEvents,
}

export function streamName(kind: { readonly category: string }, id: string): string {
  return `${kind.category}-${id}`
}

/** The category and the id that a stream's name holds. */
export function parseStreamName(stream: string): { category: string; id: string } {
  const dash = stream.indexOf('-')
  return dash < 0 ? { category: stream, id: '' } : { category: stream.slice(0, dash), id: stream.slice(dash + 1) }
}

/** The user whom a stream is about, undefined for streams about no person. */
export function personOf(stream: string): string | undefined {
  for (const prefix of aboutPersons) if (stream.startsWith(prefix)) return stream.slice(prefix.length)
  return undefined
}

const aboutPersons = [users, accounts].map((kind) => streamName(kind, ''))
