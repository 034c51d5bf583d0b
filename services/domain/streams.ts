import { type AccountEvent, accountDecider, accountEvents, type Account } from './account/account.ts'
import { type AdminKey, type AdminKeyEvent, adminKeyDecider, adminKeyEvents } from './staff/access-key.ts'
import { type AggregateType, streamName } from '../event-sourcing/aggregate-type.ts'
import { type EmailClaim, type EmailClaimEvent, emailClaimDecider, emailClaimEvents } from './user/email-claim.ts'
import type { EventRegistry } from '../event-sourcing/event-registry.ts'
import { type Installation, type InstallationEvent, installationDecider, installationEvents } from './installation/installation.ts'
import { type MailState, mailDecider, type MailEvent, mailEvents } from './mail/mail.ts'
import { type NoticeEvent, noticeDecider, noticeEvents, type SeenNotices } from './notice/notice.ts'
import { type SecondFactorEvent, secondFactorDecider, secondFactorEvents, type SecondFactors } from './second-factor/second-factor.ts'
import { type SealEvent, sealEvents, sealDecider as sealsDecider, type Seals } from './seal/seal.ts'
import { type User, type UserEvent, userDecider, userEvents } from './user/user.ts'

/** The aggregates of the firm, and all their events. */

export { type AggregateType, parseStreamName, streamName } from '../event-sourcing/aggregate-type.ts'

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

/** How a user proves their identity besides the password; the id is the user's. */
export const userFactors: AggregateType<SecondFactors, SecondFactorEvent> = {
  category: 'factors',
  decider: secondFactorDecider,
  definitions: secondFactorEvents,
}

/** The same of a member of staff; the id is the member's. */
export const staffFactors: AggregateType<SecondFactors, SecondFactorEvent> = { ...userFactors, category: 'stafffactors' }

/** One for each sent mail, named after the id of the event that it is about. */
export const mails: AggregateType<MailState, MailEvent> = { category: 'mail', decider: mailDecider, definitions: mailEvents }

/** One for each trader who looked at notices, named after the user. It holds nothing personal. */
export const notices: AggregateType<SeenNotices, NoticeEvent> = { category: 'notices', decider: noticeDecider, definitions: noticeEvents }

/** A log has one chain of seals. */
export const seals: AggregateType<Seals, SealEvent> = { category: 'seals', decider: sealsDecider, definitions: sealEvents }

/** How the names of all our streams begin: they select our events in a log that other programs write to as well. */
export const streamPrefixes = [users, accounts, adminKeys, emailClaims, installations, mails, notices, seals, userFactors, staffFactors].map((type) =>
  streamName(type, ''),
)

/** Every event of the firm, of any stream. */
export type AnyEvent = UserEvent | AccountEvent | AdminKeyEvent | EmailClaimEvent | InstallationEvent | MailEvent | NoticeEvent | SealEvent | SecondFactorEvent

export const definitions = {
  ...userEvents,
  ...accountEvents,
  ...adminKeyEvents,
  ...emailClaimEvents,
  ...installationEvents,
  ...mailEvents,
  ...noticeEvents,
  ...sealEvents,
  ...secondFactorEvents,
}

/** The person whose key encrypts the personal fields of a stream, a user or a member of staff; undefined for a stream about no person. */
export function personIdOf(stream: string): string | undefined {
  return idAfter(personStreamPrefixes, stream)
}

/** The user whom a stream is about; undefined for any other stream. */
export function userIdOf(stream: string): string | undefined {
  return idAfter(userStreamPrefixes, stream)
}

const userStreamPrefixes = [users, accounts, userFactors].map((type) => streamName(type, ''))
const personStreamPrefixes = [...userStreamPrefixes, streamName(staffFactors, '')]

function idAfter(prefixes: readonly string[], stream: string): string | undefined {
  for (const prefix of prefixes) if (stream.startsWith(prefix)) return stream.slice(prefix.length)
  return undefined
}

/** What the generic event sourcing needs to know of the firm's events. */
export const eventRegistry: EventRegistry<AnyEvent> = { definitions, personIdOf }
