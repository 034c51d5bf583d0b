import { ERASED } from '#services/event-sourcing/erased.ts'
import {
  change,
  changesBetween,
  type EventDescriptions,
  type NoticeKind,
} from '#services/framework/event-description.ts'
import { noticeKindLabels } from '#services/framework/notice-vocabulary.ts'
import type { EmailClaimEvent } from './email-claim.ts'
import { profileOf } from './user-vocabulary.ts'
import type { UserEvent } from './user.ts'

export const userDescriptions = {
  UserRegistered: {
    title: 'Signed up',
    category: 'identity',
    changes: ({ data }) => [
      change('user', null, { ...profileOf(data), privacyPolicyAgreed: data.privacyPolicyAgreed }),
    ],
    mail: true,
    urgent: true,
  },
  UserCreated: {
    title: 'User created',
    category: 'identity',
    changes: ({ data }) => [change('user', null, { ...profileOf(data), privacyPolicyAgreed: false })],
    mail: true,
    urgent: true,
  },
  ProfileChanged: {
    title: 'Personal information changed',
    category: 'identity',
    changes: ({ data: { fields, from, to } }) =>
      fields.map((field) => change(`user.${field}`, from[field] ?? ERASED, to[field] ?? ERASED)),
    reason: ({ withoutPassword }) => (withoutPassword ? 'The email was changed without the password' : null),
  },
  EmailConfirmationRequested: {
    title: 'Link to confirm the email requested',
    category: 'identity',
    mail: true,
    urgent: true,
  },
  EmailConfirmed: {
    title: 'Email address confirmed',
    category: 'identity',
    changes: () => [change('user.emailConfirmed', false, true)],
  },
  PasswordChanged: { title: 'Password changed', category: 'passwords', silent: true, mail: true },
  PasswordResetRequested: { title: 'Password reset requested', category: 'passwords', mail: true, urgent: true },
  PasswordReset: { title: 'Password reset', category: 'passwords', silent: true, mail: true },
  PasswordRehashed: { title: 'Password stored more securely', category: 'passwords' },
  UserBanned: {
    title: 'User banned',
    category: 'bans',
    changes: ({ data: { from, reason } }) =>
      changesBetween('user', { banned: from !== null, banReason: from }, { banned: true, banReason: reason }),
    reason: ({ reason }) => reason,
    marker: () => 'Banned',
    mail: true,
  },
  UserUnbanned: {
    title: 'Ban lifted',
    category: 'bans',
    changes: ({ data }) => [change('user.banned', true, false), change('user.banReason', data.from, null)],
    marker: () => 'Ban lifted',
    mail: true,
  },
  EmailRevertOffered: { title: 'Link to undo the email change', category: 'identity', mail: true, urgent: true },
  EmailChangeReverted: { title: 'Email change undone', category: 'identity' },
  SessionsEnded: { title: 'Signed out everywhere', category: 'sessions', silent: true },
  AccountAssigned: { title: 'Account assigned', category: 'identity' },
  NoticesChosen: {
    title: 'Mail notices chosen',
    category: 'notices',
    changes: ({ data }) => [change('user.mutedNotices', namesOf(data.from), namesOf(data.to))],
  },
  UserDeleted: {
    title: 'User deleted',
    category: 'identity',
    changes: () => [change('user.deleted', false, true)],
  },
  EmailClaimLapsed: { title: 'Email claim lapsed', category: 'emailAddresses' },
} as const satisfies EventDescriptions<UserEvent>

export const emailClaimDescriptions = {
  EmailClaimed: { title: 'Email address claimed', category: 'emailAddresses' },
  EmailReleased: { title: 'Email address released', category: 'emailAddresses' },
} as const satisfies EventDescriptions<EmailClaimEvent>

/** Kinds of notices in words. */
function namesOf(kinds: readonly NoticeKind[]): string {
  return kinds.map((kind) => noticeKindLabels[kind]).join('; ') || 'none'
}
