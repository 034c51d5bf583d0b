import { type AccountEvent, accountDecider, accountEvents, type Account } from './account/account.ts'
import { type AdminKey, type AdminKeyEvent, adminKeyDecider, adminKeyEvents } from './staff/access-key.ts'
import type { Decider } from '../event-sourcing/decider.ts'
import { type EmailClaim, type EmailClaimEvent, emailClaimDecider, emailClaimEvents } from './user/email-claim.ts'
import type { DomainEvent, EventDefinitions } from '../event-sourcing/event-definitions.ts'
import { type Installation, type InstallationEvent, installationDecider, installationEvents } from './installation/installation.ts'
import { type MailState, mailDecider, type MailEvent, mailEvents } from './mail/mail.ts'
import { type SealEvent, sealEvents, sealDecider as sealsDecider, type Seals } from './seal/seal.ts'
import { type User, type UserEvent, userDecider, userEvents } from './user/user.ts'

/** A kind of stream: how its streams are named, what may stand in them and how they fold. */
export interface AggregateType<State, Event extends DomainEvent> {
  /** A stream's name is '<category>-<id>'. */
  readonly category: string
  readonly decider: Decider<State, Event>
  readonly definitions: EventDefinitions
}

export const users: AggregateType<User, UserEvent> = { category: 'user', decider: userDecider, definitions: userEvents }
export const accounts: AggregateType<Account, AccountEvent> = { category: 'account', decider: accountDecider, definitions: accountEvents }
export const adminKeys: AggregateType<AdminKey, AdminKeyEvent> = { category: 'admin', decider: adminKeyDecider, definitions: adminKeyEvents }
export const emailClaims: AggregateType<EmailClaim, EmailClaimEvent> = {
  category: 'email',
  decider: emailClaimDecider,
  definitions: emailClaimEvents,
}

export const installations: AggregateType<Installation, InstallationEvent> = {
  category: 'installation',
  decider: installationDecider,
  definitions: installationEvents,
}

/** One for each mail that was sent, named after the id of the fact that it is about. */
export const mails: AggregateType<MailState, MailEvent> = { category: 'mail', decider: mailDecider, definitions: mailEvents }

/** There is one chain of seals a log. */
export const seals: AggregateType<Seals, SealEvent> = { category: 'seals', decider: sealsDecider, definitions: sealEvents }

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
export function personIdOf(stream: string): string | undefined {
  for (const prefix of personStreamPrefixes) if (stream.startsWith(prefix)) return stream.slice(prefix.length)
  return undefined
}

const personStreamPrefixes = [users, accounts].map((kind) => streamName(kind, ''))
