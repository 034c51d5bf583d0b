import { aggregate, sameId } from '#services/event-sourcing/aggregate-type.ts'
import { z } from 'zod'
import type { Decider } from '#services/event-sourcing/decider.ts'
import { ERASED } from '#services/event-sourcing/erased.ts'
import {
  type EventOf,
  defineEvents,
  type AppendedEvent,
  personal,
  secret,
} from '#services/event-sourcing/event-definitions.ts'
import { isOneOf } from '#services/event-sourcing/event-definitions.ts'
import {
  acceptTerms as acceptTermsOf,
  type Enrolment,
  type EnrolmentEvent,
  enrolmentEvents,
  enrolmentsAfter,
  existingEnrolment,
  type EnrolmentTerms,
} from './enrolment.ts'
import { emailTaken } from './email-claim.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import type { NoticeKind } from '#services/framework/event-description.ts'
import {
  type AccountId,
  accountId,
  accountIdOf,
  type EnrolmentId,
  enrolmentIdOf,
  type UserId,
} from '#services/framework/ids.ts'
import { noticeKinds } from '#services/framework/notice-vocabulary.ts'
import { eachProfileField, type Profile, type ProfileField, profileFields, profileOf } from './user-vocabulary.ts'

/** A user: identity, password, ban (specification §3 to §6). */

const text = z.string()

export const noticeKind = z.enum(noticeKinds)

/** The fields of a profile that may change later; each optional, for an event holds only those that did change. */
const profileChange = z.object(eachProfileField(() => text.optional()))

const identity = {
  ...eachProfileField(() => personal(text)),
  /** The claim stream of the email: a keyed hash, which reveals no address. */
  emailClaim: z.string(),
}

/** An Argon2id hash in PHC form. */
const passwordHash = secret(text)

/** A link in a mail: its token, the token's hash, and its expiry (ms since 1970). */
const passwordLink = { token: secret(text), tokenHash: z.string(), expiresAt: z.int() }

export const userEvents = defineEvents({
  UserRegistered: { ...identity, passwordHash, privacyPolicyAgreed: z.boolean() },
  /** By an administrator; the password is set by a mailed link. */
  UserCreated: { ...identity, ...passwordLink },
  ProfileChanged: {
    fields: z.array(z.enum(profileFields)),
    from: personal(profileChange, {}),
    to: personal(profileChange, {}),
    /** The claim stream of the new email, null when the email stayed. */
    emailClaim: z.string().nullable(),
    /** The email changed by a call that gave no password, by somebody without a second factor (specification §7). */
    withoutPassword: z.boolean().optional(),
  },
  /** The person asks for the link once more. */
  EmailConfirmationRequested: {},
  /** By a link that only its reader could open. */
  EmailConfirmed: { emailClaim: z.string() },
  PasswordChanged: { passwordHash },
  PasswordResetRequested: passwordLink,
  /** `mailed` is whether a mail tells the user: not about the first password. */
  PasswordReset: { passwordHash, mailed: z.boolean() },
  /** The same password, hashed with stronger parameters at a sign-in. */
  PasswordRehashed: { passwordHash },
  /** `from` is the reason of the ban before, null when there was none. */
  UserBanned: { reason: z.string(), from: z.string().nullable() },
  UserUnbanned: { from: z.string() },
  /** After a change of email: what is mailed to the address before takes the change back. */
  EmailRevertOffered: { ...passwordLink, email: personal(text), emailClaim: z.string() },
  /** By that link. The password no longer holds, because a thief may know it: a new one is set by a mailed link. */
  EmailChangeReverted: {},
  /** An administrator ended every session of the user. */
  SessionsEnded: {},
  /** The user has one more account: its stream opens it. */
  AccountAssigned: { accountId },
  /** Kinds of notices that are not mailed, before and after. */
  NoticesChosen: { from: z.array(noticeKind), to: z.array(noticeKind) },
  UserDeleted: { banned: z.boolean() },
  /** The user's claim on an email was taken over because it was not used; this makes a late writer decide again. */
  EmailClaimLapsed: { emailClaim: z.string() },
})

export type UserEvent = EventOf<typeof userEvents>

/** The stream of a user holds these events. */
export type UserStreamEvent = UserEvent | EnrolmentEvent

export interface User extends Profile {
  readonly exists: boolean
  readonly deleted: boolean
  readonly emailClaim: string | null
  /** Whether the person has shown to read the mails to the present address. */
  readonly emailConfirmed: boolean
  readonly passwordHash: string | null
  /** When the email last changed, or a password was reset: whoever did so may be somebody else. Ms since 1970. */
  readonly accessChangedAt: number | null
  /** When the link of the welcome set the first password, ms since 1970; null for a person who signed up. */
  readonly firstPasswordAt: number | null
  /** When the last change ended every session, ms since 1970. */
  readonly sessionsEndedAt: number
  readonly privacyPolicyAgreed: boolean
  /** When claims of this user's were taken over, ms since 1970. */
  readonly lapsedClaims: Readonly<Record<string, number>>
  /** Null while not banned. */
  readonly ban: { readonly reason: string } | null
  /** The mailed links that set a password, the oldest first: each ends by its time, with the password, or with the address. */
  readonly passwordLinks: readonly { readonly tokenHash: string; readonly expiresAt: number }[]
  /** The links that take a change of email back, the oldest first. */
  readonly emailReverts: readonly EmailRevert[]
  /** Kinds of notices that are not mailed. */
  readonly mutedNotices: readonly NoticeKind[]
  /** The accounts that were assigned, in the order of their numbers. Deletion and audit learn of them from here. */
  readonly accounts: readonly AccountId[]
  /** In the order of their numbers. */
  readonly enrolments: readonly Enrolment[]
  /** Ms since 1970. */
  readonly createdAt: number
}

/** The address before a change of email, and what its mailed link proves. */
export interface EmailRevert {
  readonly tokenHash: string
  readonly expiresAt: number
  readonly email: string
  readonly emailClaim: string
}

const initialUser: User = {
  exists: false,
  deleted: false,
  ...eachProfileField(() => ''),
  emailClaim: null,
  emailConfirmed: false,
  accessChangedAt: null,
  firstPasswordAt: null,
  lapsedClaims: {},
  passwordHash: null,
  sessionsEndedAt: 0,
  privacyPolicyAgreed: false,
  ban: null,
  passwordLinks: [],
  emailReverts: [],
  mutedNotices: [],
  accounts: [],
  enrolments: [],
  createdAt: 0,
}

/** The state of a deleted user forgets the person too, for it may be remembered longer than the key. */
const erasedProfile = eachProfileField(() => ERASED)

function evolve(user: User, event: AppendedEvent<UserStreamEvent>): User {
  if (isOneOf(enrolmentEvents, event)) return { ...user, enrolments: enrolmentsAfter(user.enrolments, event) }
  const { type, data, at } = event
  switch (type) {
    case 'UserRegistered': {
      const { passwordHash, privacyPolicyAgreed, emailClaim } = data
      return { ...user, exists: true, createdAt: at, ...profileOf(data), emailClaim, passwordHash, privacyPolicyAgreed }
    }
    case 'UserCreated': {
      const { emailClaim } = data
      return {
        ...user,
        exists: true,
        createdAt: at,
        ...profileOf(data),
        emailClaim,
        passwordLinks: withLink(user, data, at),
      }
    }
    case 'ProfileChanged':
      // A link to set a password was mailed to the address before.
      return {
        ...user,
        ...withoutUndefined(data.to),
        ...(data.emailClaim !== null && {
          emailClaim: data.emailClaim,
          emailConfirmed: false,
          passwordLinks: [],
          accessChangedAt: at,
        }),
      }
    case 'PasswordResetRequested':
      return { ...user, passwordLinks: withLink(user, data, at) }
    case 'EmailConfirmationRequested':
      return user
    case 'EmailConfirmed':
      return { ...user, emailConfirmed: user.emailConfirmed || data.emailClaim === user.emailClaim }
    case 'PasswordChanged':
      return { ...user, passwordHash: data.passwordHash, passwordLinks: [], sessionsEndedAt: at }
    case 'PasswordReset':
      // By a link that was mailed to the present address.
      return {
        ...user,
        emailConfirmed: true,
        // The first password resets none.
        accessChangedAt: user.passwordHash === null ? user.accessChangedAt : at,
        firstPasswordAt: user.firstPasswordAt ?? (user.passwordHash === null ? at : null),
        passwordHash: data.passwordHash,
        passwordLinks: [],
        sessionsEndedAt: at,
      }
    case 'PasswordRehashed':
      return { ...user, passwordHash: data.passwordHash }
    case 'UserBanned':
      return { ...user, ban: { reason: data.reason } }
    case 'UserUnbanned':
      return { ...user, ban: null }
    case 'EmailRevertOffered': {
      const { tokenHash, expiresAt, email, emailClaim } = data
      return {
        ...user,
        emailReverts: [
          ...user.emailReverts.filter((revert) => revert.expiresAt > at),
          { tokenHash, expiresAt, email, emailClaim },
        ],
      }
    }
    case 'EmailChangeReverted': {
      // The change back came before. Earlier links stay: a thief who takes a second change back must not end the
      // owner's.
      const used = user.emailReverts.findIndex(({ email }) => email === user.email)
      const emailReverts = user.emailReverts.slice(0, Math.max(0, used))
      return { ...user, emailConfirmed: true, passwordHash: null, passwordLinks: [], sessionsEndedAt: at, emailReverts }
    }
    case 'SessionsEnded':
      return { ...user, sessionsEndedAt: at }
    case 'AccountAssigned':
      return { ...user, accounts: [...user.accounts, data.accountId] }
    case 'NoticesChosen':
      return { ...user, mutedNotices: data.to }
    case 'UserDeleted':
      return {
        ...user,
        ...erasedProfile,
        exists: false,
        deleted: true,
        passwordHash: null,
        passwordLinks: [],
        emailReverts: [],
        ban: null,
      }
    case 'EmailClaimLapsed':
      return { ...user, lapsedClaims: { ...user.lapsedClaims, [data.emailClaim]: at } }
  }
}

/** Earlier links stay: all who know an address can ask for another one. */
function withLink(
  { passwordLinks }: User,
  { tokenHash, expiresAt }: Omit<PasswordLink, 'token'>,
  at: number,
): User['passwordLinks'] {
  return [...passwordLinks.filter((link) => link.expiresAt > at), { tokenHash, expiresAt }]
}

export const userDecider: Decider<User, UserStreamEvent> = { initial: initialUser, evolve }

/** A sign-up by the person (specification §5, Registration). */
export type Registration = Extract<UserEvent, { type: 'UserRegistered' }>['data']

/** The token is the secret that the mail carries; it is stored only encrypted. */
export type PasswordLink = Extract<UserEvent, { type: 'PasswordResetRequested' }>['data']

/** A claim on an email that the user holds; `since` is when it was made, ms since 1970. */
export interface ActiveEmailClaim {
  readonly emailClaim: string
  readonly since: number
}

export function registerUser(user: User, registration: Registration, claim: ActiveEmailClaim): UserEvent[] {
  assertNewUser(user)
  assertClaimValid(user, claim)
  return [{ type: 'UserRegistered', data: registration }]
}

/** An administrator creates a user, who sets the password by a mailed link. */
export function createUser(
  user: User,
  creation: Profile & { readonly emailClaim: string } & PasswordLink,
  claim: ActiveEmailClaim,
): UserEvent[] {
  assertNewUser(user)
  assertClaimValid(user, claim)
  return [{ type: 'UserCreated', data: creation }]
}

/** Assigns the account that every user has from the start. */
export function firstAccount(owner: UserId): UserEvent {
  return { type: 'AccountAssigned', data: { accountId: accountIdOf(owner, 1) } }
}

/** More accounts than any trader has. */
const MOST_ACCOUNTS = 200

/** The id that the user's next account gets. */
export function nextAccountId(user: User, owner: UserId): AccountId {
  assertUserExists(user)
  if (user.accounts.length >= MOST_ACCOUNTS)
    throw new Refused('conflict', `A trader has at most ${MOST_ACCOUNTS} accounts`)
  return accountIdOf(owner, user.accounts.length + 1)
}

/** Assigns the user's next account. @throws {Refused} conflict, when another one took this number meanwhile. */
export function assignAccount(user: User, owner: UserId, id: AccountId): UserEvent[] {
  if (nextAccountId(user, owner) !== id)
    throw new Refused('conflict', 'Another account of this user was opened at the same moment. Please try again.')
  return [{ type: 'AccountAssigned', data: { accountId: id } }]
}

/**
 * Enrols a trader in a version of a programme: with the account that every user has from the start, where nothing was
 * set on it, else with a new one. An order enrols once.
 *
 * @param isUntouched Whether the first account is.
 * @throws {Refused} not-found, conflict
 */
export function enrolTrader(
  user: User,
  trader: UserId,
  { accepted, order, ...enrolled }: EnrolmentTerms,
  isUntouched: boolean,
): UserStreamEvent[] {
  assertUserExists(user)
  if (order !== null && user.enrolments.some((enrolment) => enrolment.order === order)) return []
  const [first] = user.accounts
  const taken = isUntouched && user.accounts.length === 1 && user.enrolments.length === 0 ? first : undefined
  const account = taken ?? nextAccountId(user, trader)
  const enrolmentId = enrolmentIdOf(trader, user.enrolments.length + 1)
  return [
    ...(taken ? [] : assignAccount(user, trader, account)),
    { type: 'TraderEnrolled', data: { enrolmentId, ...enrolled, accepted, account, order } },
  ]
}

/**
 * Assigns the account of the stage after one that was passed, once.
 *
 * @param stage The one that was passed.
 * @throws {Refused} not-found, conflict
 */
export function assignNextStage(user: User, trader: UserId, id: EnrolmentId, stage: number): UserStreamEvent[] {
  assertUserExists(user)
  const { accounts } = existingEnrolment(user.enrolments, id)
  if (accounts.length !== stage + 1) return []
  const account = nextAccountId(user, trader)
  return [
    ...assignAccount(user, trader, account),
    { type: 'NextStageAssigned', data: { enrolmentId: id, stage: stage + 1, account } },
  ]
}

/** The trader accepts the terms of an enrolment. @throws {Refused} not-found, conflict */
export function acceptTerms(user: User, id: string, hash: string): UserStreamEvent[] {
  assertUserExists(user)
  return acceptTermsOf(user.enrolments, id, hash)
}

/**
 * Records what did change in a profile. `claim` is the user's claim on the wanted email, null when none is wanted;
 * `revert` is the link that is offered to the address before; `withoutPassword` marks a change of email by somebody who
 * gave none.
 */
export function changeProfile(
  user: User,
  wanted: ProfileChange,
  claim: ActiveEmailClaim | null,
  revert?: PasswordLink,
  withoutPassword = false,
): UserEvent[] {
  assertUserExists(user)
  if (claim) assertClaimValid(user, claim)
  const changed = profileFields.flatMap((field) => {
    const to = wanted[field]
    return to === undefined || to === user[field] ? [] : [{ field, from: user[field], to }]
  })
  if (changed.length === 0) return []
  const isNewEmail = changed.some(({ field }) => field === 'email')
  if (!claim && isNewEmail) throw new TypeError('A new email needs a claim on it')
  return [
    {
      type: 'ProfileChanged',
      data: {
        fields: changed.map(({ field }) => field),
        from: Object.fromEntries(changed.map(({ field, from }) => [field, from])),
        to: Object.fromEntries(changed.map(({ field, to }) => [field, to])),
        emailClaim: !claim || claim.emailClaim === user.emailClaim ? null : claim.emailClaim,
        ...(isNewEmail && withoutPassword && { withoutPassword }),
      },
    },
    ...(isNewEmail && revert && user.emailClaim !== null
      ? [{ type: 'EmailRevertOffered' as const, data: { ...revert, email: user.email, emailClaim: user.emailClaim } }]
      : []),
  ]
}

/** Asks for the link that confirms the present address. */
export function requestEmailConfirmation(user: User): UserEvent[] {
  assertUserExists(user)
  return user.emailConfirmed ? [] : [{ type: 'EmailConfirmationRequested', data: {} }]
}

/**
 * Confirms the present address, once. `isItsClaim` says whether the link was mailed for a claim.
 *
 * @throws {Refused} when the link is for another address, or its user is gone.
 */
export function confirmEmail(user: User, isItsClaim: (emailClaim: string) => boolean): UserEvent[] {
  const { emailClaim } = user
  if (!user.exists || emailClaim === null || !isItsClaim(emailClaim))
    throw new Refused('invalid', 'This link is not valid any more. Your settings can send a new one.', 'token')
  return user.emailConfirmed ? [] : [{ type: 'EmailConfirmed', data: { emailClaim } }]
}

/** The change of email that a mailed link takes back. @throws {Refused} when the link is unknown, used or old. */
export function findEmailRevert(user: User, isItsHash: (hash: string) => boolean, now: number): EmailRevert {
  const revert = user.exists ? user.emailReverts.find(({ tokenHash }) => isItsHash(tokenHash)) : undefined
  if (!revert || now >= revert.expiresAt)
    throw new Refused('invalid', 'This link is not valid any more. Please contact support.', 'token')
  return revert
}

/** Takes changes of email back: the address before gets the account, with a link to set a new password. */
export function revertEmail(
  user: User,
  { email }: EmailRevert,
  claim: ActiveEmailClaim | null,
  link: PasswordLink,
): UserEvent[] {
  return [
    ...changeProfile(user, { email }, claim),
    { type: 'EmailChangeReverted', data: {} },
    { type: 'PasswordResetRequested', data: link },
  ]
}

/** Fields left out are not touched. */
export type ProfileChange = { readonly [Field in ProfileField]?: string | undefined }

/** `checkedHash` is the hash that the caller checked the current password against: it must still be the one. */
export function changePassword(user: User, checkedHash: string, passwordHash: string): UserEvent[] {
  assertUserExists(user)
  if (user.passwordHash !== checkedHash)
    throw new Refused('invalid', 'Your current password is not correct', 'currentPassword')
  return [{ type: 'PasswordChanged', data: { passwordHash } }]
}

/** Replaces a hash by a stronger one of the same password, unless the password has changed since it was checked. */
export function rehashPassword(user: User, checkedHash: string, passwordHash: string): UserEvent[] {
  return user.exists && user.passwordHash === checkedHash ? [{ type: 'PasswordRehashed', data: { passwordHash } }] : []
}

/** Whether a link to set a password is on its way, or in the mailbox. */
export function hasPasswordLink({ exists, passwordLinks }: User, now: number): boolean {
  return exists && passwordLinks.some(({ expiresAt }) => expiresAt > now)
}

/** Earlier links stay as they are. */
export function requestPasswordReset(user: User, link: PasswordLink): UserEvent[] {
  assertUserExists(user)
  return [{ type: 'PasswordResetRequested', data: link }]
}

const BAD_LINK = 'This link is not valid any more. Please ask for a new one.'

/**
 * Whether the link may still be used; `isItsHash` compares in constant time.
 *
 * @throws {Refused} when it is unknown, used or old.
 */
export function checkPasswordLink(user: User, isItsHash: (hash: string) => boolean, now: number): void {
  const link = user.exists ? user.passwordLinks.find(({ tokenHash }) => isItsHash(tokenHash)) : undefined
  if (!link || now >= link.expiresAt) throw new Refused('invalid', BAD_LINK, 'token')
}

/** Sets a new password by a mailed link: once, and only before it expires. */
export function resetPassword(
  user: User,
  isItsHash: (hash: string) => boolean,
  passwordHash: string,
  now: number,
): UserEvent[] {
  checkPasswordLink(user, isItsHash, now)
  // The first password, set by the link of the welcome, surprises no one.
  return [{ type: 'PasswordReset', data: { passwordHash, mailed: user.passwordHash !== null } }]
}

/** A ban needs a reason that is not blank (specification §5). A new reason for a banned user is recorded too. */
export function banUser(user: User, reason: string): UserEvent[] {
  assertUserExists(user)
  if (reason.trim() === '') throw new Refused('invalid', 'Please provide a reason for banning this user', 'banReason')
  const from = user.ban?.reason ?? null
  return from === reason ? [] : [{ type: 'UserBanned', data: { reason, from } }]
}

export function unbanUser(user: User): UserEvent[] {
  assertUserExists(user)
  return user.ban ? [{ type: 'UserUnbanned', data: { from: user.ban.reason } }] : []
}

/** Records that an administrator ended every session of the user. */
export function endSessions(user: User): UserEvent[] {
  assertUserExists(user)
  return [{ type: 'SessionsEnded', data: {} }]
}

/** Chooses the kinds of notices that are not mailed. The same choice again records nothing. */
export function chooseNotices(user: User, muted: readonly NoticeKind[]): UserEvent[] {
  assertUserExists(user)
  const to = noticeKinds.filter((kind) => muted.includes(kind))
  return to.join() === user.mutedNotices.join()
    ? []
    : [{ type: 'NoticesChosen', data: { from: [...user.mutedNotices], to } }]
}

export function deleteUser(user: User): UserEvent[] {
  assertUserExists(user)
  return [{ type: 'UserDeleted', data: { banned: user.ban !== null } }]
}

/** Makes a late use of this claim fail, once it has been taken over. */
export function lapseEmailClaim(emailClaim: string): UserEvent[] {
  return [{ type: 'EmailClaimLapsed', data: { emailClaim } }]
}

/** @throws {Refused} not-found, for someone who never was or was deleted. */
export function assertUserExists(user: User): void {
  if (!user.exists) throw new Refused('not-found', 'User not found')
}

/** A claim that was not used in time may have been taken over: the email is another user's now. */
function assertClaimValid(user: User, { emailClaim, since }: ActiveEmailClaim): void {
  const lapsedAt = user.lapsedClaims[emailClaim]
  if (lapsedAt !== undefined && lapsedAt >= since) throw emailTaken()
}

function assertNewUser(user: User): void {
  if (user.exists || user.deleted) throw new Refused('conflict', 'This user exists already')
}

function withoutUndefined(change: z.infer<typeof profileChange>): Partial<Profile> {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
}

export const userStreams = aggregate(
  'user',
  userDecider,
  { ...userEvents, ...enrolmentEvents },
  { kind: 'user', idOf: sameId, begins: true },
)
