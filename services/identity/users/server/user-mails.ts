import { type MailContext, newPasswordPage } from '#services/framework/mails/mail-context.ts'
import { FIRM, type MailContent, moment, oneLine } from '#services/framework/mails/mail-layout.ts'
import type { Mails } from '#services/framework/module.ts'
import type { userDescriptions } from '../user-descriptions.ts'
import type { User, UserEvent } from '../user.ts'

/** The data of a mail about a user. */
export interface UserMailContext extends MailContext {
  readonly user: User
}

/** The mails about users: passwords, addresses and bans. */
export const userMails: Mails<UserEvent, typeof userDescriptions, UserMailContext> = {
  UserRegistered: ({ data }, { user, confirmEmailLink }) =>
    isUnconfirmed(user, data.emailClaim) ? confirmAddress(confirmEmailLink) : undefined,
  EmailConfirmationRequested: (_, { user, confirmEmailLink }) =>
    user.emailConfirmed ? undefined : confirmAddress(confirmEmailLink),
  UserCreated: ({ data }, context) => withPasswordLink(welcome, data, context),
  PasswordResetRequested: ({ data }, context) =>
    withPasswordLink(context.user.passwordHash === null ? welcome : passwordReset, data, context),
  EmailRevertOffered: ({ data: { token, tokenHash, email, expiresAt } }, context) => {
    const { user, page, now } = context
    // The link was used, or has expired.
    if (now >= expiresAt || !user.emailReverts.some((revert) => revert.tokenHash === tokenHash)) return undefined
    const link = page(`/revert-email?token=${encodeURIComponent(token)}`)
    return [{ ...emailRevert(link, expiresAt), address: email }, emailChanged(context.confirmEmailLink)]
  },
  PasswordChanged: (_event, context) => passwordChanged(newPasswordPage(context)),
  PasswordReset: ({ data }, context) => (data.mailed ? passwordChanged(newPasswordPage(context)) : undefined),
  UserBanned: ({ data }, { supportEmail }) => accountBanned(data.reason, supportEmail),
  UserUnbanned: (_, { page }) => accountUnbanned(page('/auth')),
}

/** Not when it was confirmed meanwhile, or another one follows it, which has a mail of its own. */
function isUnconfirmed({ emailConfirmed, emailClaim }: User, claim: string): boolean {
  return !emailConfirmed && emailClaim === claim
}

export function confirmAddress(link: string): MailContent {
  return {
    subject: `Confirm your email for ${FIRM}`,
    body: [
      `An account at ${FIRM} was opened with this address. If that was you, confirm that you read mails to it.`,
      { action: 'Confirm this address', link },
      'If you did not open an account, ignore this email.',
    ],
    footer: `You're receiving this email because an account at ${FIRM} has this address.`,
  }
}

function withPasswordLink(
  template: (link: string, expiresAt: number) => MailContent,
  { token, tokenHash, expiresAt }: Extract<UserEvent, { type: 'UserCreated' | 'PasswordResetRequested' }>['data'],
  { user, page, now }: UserMailContext,
): MailContent | undefined {
  // The link has expired, or ended with the password or the address.
  if (now >= expiresAt || !user.passwordLinks.some((link) => link.tokenHash === tokenHash)) return undefined
  return template(page(`/reset-password?token=${encodeURIComponent(token)}`), expiresAt)
}

/** @param expiresAt Ms since 1970. */
export function passwordReset(link: string, expiresAt: number): MailContent {
  return {
    subject: `Reset your ${FIRM} password`,
    body: [
      `A password reset was requested for your ${FIRM} account. If that was you, choose a new password with this link.`,
      { action: 'Choose a new password', link },
      `The link works once and is valid for one hour, until ${moment(expiresAt)}.`,
      'If you did not request this, ignore this email. Your password stays as it is.',
    ],
    footer: `You're receiving this email because a password reset for this address was requested at ${FIRM}.`,
  }
}

/** @param expiresAt Ms since 1970. */
export function welcome(link: string, expiresAt: number): MailContent {
  return {
    subject: `Your ${FIRM} account`,
    body: [
      `An administrator created an account at ${FIRM} for you. Set your password with this link, then sign in.`,
      { action: 'Set your password', link },
      `The link works once and is valid until ${moment(expiresAt)}. After that, request a new one on the Forgot password page.`,
    ],
    footer: `You're receiving this email because an administrator created an account at ${FIRM} with your address.`,
  }
}

/** @param expiresAt Ms since 1970. */
export function emailRevert(link: string, expiresAt: number): MailContent {
  return {
    subject: `Your ${FIRM} email was changed`,
    body: [
      `The email of your ${FIRM} account was changed to another address. If that was you, ignore this email.`,
      'If it was not you, take the change back with this link. Everyone is signed out, and you choose a new password.',
      { action: 'Take the change back', link },
      `The link works once, until ${moment(expiresAt)}.`,
    ],
    footer: `You're receiving this email because this address belonged to an account at ${FIRM} until now.`,
  }
}

/** @param link Where to confirm the address. */
export function emailChanged(link: string): MailContent {
  return {
    subject: `Your ${FIRM} email was changed`,
    body: [
      `The email of your ${FIRM} account was changed to this address. From now on, use it to sign in.`,
      { action: 'Confirm this address', link },
      'If you did not expect this, set a new password on the Forgot password page.',
    ],
    footer: `You're receiving this email because this address now belongs to an account at ${FIRM}.`,
  }
}

/** @param link Where to set a new password. */
export function passwordChanged(link: string): MailContent {
  return {
    subject: `Your ${FIRM} password was changed`,
    body: [
      `The password of your ${FIRM} account was changed, and your other browsers were signed out. If that was you, ignore this email.`,
      'If it was not you, set a new password now.',
      { action: 'Set a new password', link },
    ],
    footer: `You're receiving this email because the password of your ${FIRM} account was changed.`,
  }
}

/** @param reason May be empty. @param supportEmail Whom to ask, where the operator says so. */
export function accountBanned(reason: string, supportEmail: string | undefined): MailContent {
  const why = reason.trim()
  return {
    subject: `Your ${FIRM} account was banned`,
    body: [
      why === ''
        ? 'Your account has been banned. Please contact support for assistance.'
        : `Your account has been banned: ${why}`,
      'You were signed out everywhere and cannot sign in while the ban lasts.',
      ...(supportEmail === undefined
        ? []
        : [`If you think that this is a mistake, contact support at ${oneLine(supportEmail)}.`]),
    ],
    footer: `You're receiving this email because an administrator banned your ${FIRM} account.`,
  }
}

export function accountUnbanned(link: string): MailContent {
  return {
    subject: `Your ${FIRM} account is no longer banned`,
    body: ['The ban of your account was lifted. You can sign in again.', { action: `Open ${FIRM}`, link }],
    footer: `You're receiving this email because an administrator lifted the ban of your ${FIRM} account.`,
  }
}
