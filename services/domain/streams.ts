import { accountDecider, accountEvents } from './account/account.ts'
import { adminKeyDecider, adminKeyEvents } from './staff/access-key.ts'
import { administratorsDecider, administratorsEvents } from './staff/administrators.ts'
import { type AggregateType, streamName } from '#services/event-sourcing/aggregate-type.ts'
import { emailClaimDecider, emailClaimEvents } from './user/email-claim.ts'
import type { Decider } from '#services/event-sourcing/decider.ts'
import type { DomainEvent, EventDefinitions, EventOf } from '#services/event-sourcing/event-definitions.ts'
import type { EventRegistry } from '#services/event-sourcing/event-registry.ts'
import { installationDecider, installationEvents } from './installation/installation.ts'
import { mailDecider, mailEvents } from './mail/mail.ts'
import { noticeDecider, noticeEvents } from './notice/notice.ts'
import { secondFactorDecider, secondFactorEvents } from './second-factor/second-factor.ts'
import { sealDecider, sealEvents } from './seal/seal.ts'
import { userDecider, userEvents } from './user/user.ts'

/** The aggregates of the firm, and all their events. */

export { type AggregateType, parseStreamName, streamName } from '#services/event-sourcing/aggregate-type.ts'

function aggregate<State, Event extends DomainEvent>(
  category: string,
  decider: Decider<State, Event>,
  definitions: EventDefinitions,
): AggregateType<State, Event> {
  return { category, decider, definitions }
}

export const users = aggregate('user', userDecider, userEvents)
export const accounts = aggregate('account', accountDecider, accountEvents)
export const adminKeys = aggregate('admin', adminKeyDecider, adminKeyEvents)
/** A log has one list of the administrators of whom one must remain. */
export const administrators = aggregate('administrators', administratorsDecider, administratorsEvents)
export const emailClaims = aggregate('email', emailClaimDecider, emailClaimEvents)
export const installations = aggregate('installation', installationDecider, installationEvents)
/** How a user proves their identity besides the password; the id is the user's. */
export const userFactors = aggregate('factors', secondFactorDecider, secondFactorEvents)
/** The same of a member of staff; the id is the member's. */
export const staffFactors = aggregate('stafffactors', secondFactorDecider, secondFactorEvents)
/** One for each sent mail, named after the id of the event that it is about. */
export const mails = aggregate('mail', mailDecider, mailEvents)
/** One for each trader who looked at notices, named after the user. It holds nothing personal. */
export const notices = aggregate('notices', noticeDecider, noticeEvents)
/** A log has one chain of seals. */
export const seals = aggregate('seals', sealDecider, sealEvents)

/** How the names of all our streams begin: they select our events in a log that other programs write to as well. */
export const streamPrefixes = [users, accounts, adminKeys, administrators, emailClaims, installations, mails, notices, seals, userFactors, staffFactors].map(
  (type) => streamName(type, ''),
)

export const definitions = {
  ...userEvents,
  ...accountEvents,
  ...adminKeyEvents,
  ...administratorsEvents,
  ...emailClaimEvents,
  ...installationEvents,
  ...mailEvents,
  ...noticeEvents,
  ...sealEvents,
  ...secondFactorEvents,
}

/** Every event of the firm, of any stream. */
export type AnyEvent = EventOf<typeof definitions>

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
