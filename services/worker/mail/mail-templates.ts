import { payoutMethodLabels } from '../../api/index.ts'
import type { Account } from '../../domain/account/account.ts'
import { toDecimal } from '../../domain/decimal.ts'
import type { MailedEvent, MailedEventType } from '../../domain/event-descriptions.ts'
import type { PayoutEvent } from '../../domain/payout/payout.ts'
import type { User } from '../../domain/user/user.ts'
import { type MailContent, oneLine, type RenderedMail, render } from './mail-layout.ts'

/** The mails that Proofdesk sends. Times are ms since 1970, links are complete. */

/** What a mail is written from, besides its event. */
export interface MailContext {
  readonly user: User
  readonly loadAccount: () => Promise<Account>
  /** The address of a page. */
  readonly page: (path: string) => string
  readonly now: number
}

/** A mail, and its address if that is not the user's. */
export interface WrittenMail extends RenderedMail {
  readonly address?: string
}

type Written = WrittenMail | readonly WrittenMail[] | undefined
type WriteMail<Event> = (event: Event, context: MailContext) => Written | Promise<Written>

/** The mails about each event that has some; undefined when they have become pointless. */
const mails: { readonly [Type in MailedEventType]: WriteMail<Extract<MailedEvent, { type: Type }>> } = {
  UserCreated: ({ data }, context) => withPasswordLink(welcome, data, context),
  PasswordResetRequested: ({ data }, context) => withPasswordLink(passwordReset, data, context),
  EmailRevertOffered: ({ data: { token, tokenHash, email, expiresAt } }, context) => {
    const { user, page, now } = context
    // The link was used, or has expired.
    if (now >= expiresAt || !user.emailReverts.some((revert) => revert.tokenHash === tokenHash)) return undefined
    const link = page(`/revert-email?token=${encodeURIComponent(token)}`)
    return [{ ...emailRevert({ fullName: user.fullName, link, expiresAt }), address: email }, noticeTo(emailChanged, context)]
  },
  PasswordChanged: ({ data }, context) => (data.mailed ? noticeTo(passwordChanged, context) : undefined),
  PasswordReset: ({ data }, context) => (data.mailed ? noticeTo(passwordChanged, context) : undefined),
  UserBanned: ({ data }, { user }) => accountBanned({ fullName: user.fullName, reason: data.reason }),
  UserUnbanned: (_, { user, page }) => accountUnbanned({ fullName: user.fullName, link: page('/auth') }),
  PayoutApproved: (event, context) => withPayout(payoutApproved, event, context),
  PayoutRejected: (event, context) => withPayout(payoutRejected, event, context),
  CertificateIssued: ({ data }, { user, page }) => certificateIssued({ fullName: user.fullName, certificateName: data.name, link: page('/certificates') }),
}

export async function writeMails<Type extends MailedEventType>(
  type: Type,
  event: Extract<MailedEvent, { type: Type }>,
  context: MailContext,
): Promise<readonly WrittenMail[]> {
  const written = await mails[type](event, context)
  return written === undefined ? [] : [written].flat()
}

/** Whether a mail is sent about events of a type. */
export function isMailed<Event extends { readonly type: string }>(event: Event): event is Event & { readonly type: MailedEventType } {
  return Object.hasOwn(mails, event.type)
}

function withPasswordLink(
  template: (letter: LinkToPassword) => RenderedMail,
  { token, tokenHash, expiresAt }: Extract<MailedEvent, { type: 'UserCreated' | 'PasswordResetRequested' }>['data'],
  { user, page, now }: MailContext,
): RenderedMail | undefined {
  // The link was used, has expired, or a newer one replaced it.
  if (user.passwordLink?.tokenHash !== tokenHash || now >= expiresAt) return undefined
  return template({ fullName: user.fullName, link: page(`/reset-password?token=${encodeURIComponent(token)}`), expiresAt })
}

function noticeTo(template: (notice: Notice) => RenderedMail, { user, page }: MailContext): RenderedMail {
  return template({ fullName: user.fullName, link: page('/forgot-password') })
}

async function withPayout(
  template: (letter: PayoutVerdict) => RenderedMail,
  { data: { payoutId, amount, notes } }: Extract<PayoutEvent, { type: 'PayoutApproved' | 'PayoutRejected' }>,
  { user, loadAccount, page }: MailContext,
): Promise<RenderedMail | undefined> {
  const payout = (await loadAccount()).payouts.get(payoutId)
  if (!payout) return undefined
  const method = payoutMethodLabels[payout.method]
  return template({ fullName: user.fullName, payoutId, amount: inDollars(amount), method, notes, link: page('/payouts') })
}

function inDollars(cents: number): string {
  const [whole = '', fraction = ''] = toDecimal(cents).split('.')
  return `$${Number(whole).toLocaleString('en-US')}.${fraction}`
}

export interface LinkToPassword {
  readonly fullName: string
  readonly link: string
  readonly expiresAt: number
}

export function passwordReset({ fullName, link, expiresAt }: LinkToPassword): RenderedMail {
  return render({
    subject: 'Reset your Proofdesk password',
    to: fullName,
    body: [
      'A password reset was requested for your Proofdesk account. If that was you, choose a new password with this link.',
      { action: 'Choose a new password', link },
      `The link works once and is valid for one hour, until ${moment(expiresAt)}.`,
      'If you did not request this, ignore this email. Your password stays as it is.',
    ],
    footer: "You're receiving this email because a password reset for this address was requested at Proofdesk.",
  })
}

export function welcome({ fullName, link, expiresAt }: LinkToPassword): RenderedMail {
  return render({
    subject: 'Your Proofdesk account',
    to: fullName,
    body: [
      'An administrator created a Proofdesk account for you. Set your password with this link, then sign in.',
      { action: 'Set your password', link },
      `The link works once and is valid until ${moment(expiresAt)}. After that, request a new one on the Forgot password page.`,
    ],
    footer: "You're receiving this email because an administrator created a Proofdesk account with your address.",
  })
}

export function emailRevert({ fullName, link, expiresAt }: LinkToPassword): RenderedMail {
  return render({
    subject: 'Your Proofdesk email was changed',
    to: fullName,
    body: [
      'The email of your Proofdesk account was changed to another address. If that was you, ignore this email.',
      'If it was not you, take the change back with this link. Everyone is signed out, and you choose a new password.',
      { action: 'Take the change back', link },
      `The link works once, until ${moment(expiresAt)}.`,
    ],
    footer: "You're receiving this email because this address belonged to a Proofdesk account until now.",
  })
}

export interface Notice {
  readonly fullName: string
  /** Where to set a new password. */
  readonly link: string
}

export function emailChanged({ fullName, link }: Notice): RenderedMail {
  return render({
    subject: 'Your Proofdesk email was changed',
    to: fullName,
    body: [
      'The email of your Proofdesk account was changed to this address. From now on, use it to sign in.',
      'If you did not expect this, set a new password.',
      { action: 'Set a new password', link },
    ],
    footer: "You're receiving this email because this address now belongs to a Proofdesk account.",
  })
}

export function passwordChanged({ fullName, link }: Notice): RenderedMail {
  return render({
    subject: 'Your Proofdesk password was changed',
    to: fullName,
    body: [
      'The password of your Proofdesk account was changed, and your other browsers were signed out. If that was you, ignore this email.',
      'If it was not you, set a new password now.',
      { action: 'Set a new password', link },
    ],
    footer: "You're receiving this email because the password of your Proofdesk account was changed.",
  })
}

export interface Ban {
  readonly fullName: string
  /** May be empty. */
  readonly reason: string
}

export function accountBanned({ fullName, reason }: Ban): RenderedMail {
  const why = reason.trim()
  return render({
    subject: 'Your Proofdesk account was banned',
    to: fullName,
    body: [
      why === '' ? 'Your account has been banned. Please contact support for assistance.' : `Your account has been banned: ${why}`,
      'You were signed out everywhere and cannot sign in while the ban lasts.',
    ],
    footer: "You're receiving this email because an administrator banned your Proofdesk account.",
  })
}

export interface Unban {
  readonly fullName: string
  readonly link: string
}

export function accountUnbanned({ fullName, link }: Unban): RenderedMail {
  return render({
    subject: 'Your Proofdesk account is no longer banned',
    to: fullName,
    body: ['The ban of your account was lifted. You can sign in again.', { action: 'Open Proofdesk', link }],
    footer: "You're receiving this email because an administrator lifted the ban of your Proofdesk account.",
  })
}

export interface PayoutVerdict {
  readonly fullName: string
  readonly payoutId: string
  /** With its sign: '$250.00'. */
  readonly amount: string
  /** As people read it: 'Bank Transfer'. */
  readonly method: string
  /** The administrator's; may be empty. */
  readonly notes: string
  readonly link: string
}

export function payoutApproved(payout: PayoutVerdict): RenderedMail {
  return render(payoutMailContent(payout, 'approved'))
}

export function payoutRejected(payout: PayoutVerdict): RenderedMail {
  return render(payoutMailContent(payout, 'rejected'))
}

function payoutMailContent({ fullName, payoutId, amount, method, notes, link }: PayoutVerdict, verdict: string): MailContent {
  const sum = oneLine(amount)
  return {
    subject: `Your payout of ${sum} was ${verdict}`,
    to: fullName,
    body: [
      `Your payout request of ${sum} was ${verdict}.`,
      {
        facts: [
          ['Request ID', oneLine(payoutId)],
          ['Amount', sum],
          ['Payment Method', oneLine(method)],
          ['Admin Notes', notes.trim() || 'No notes'],
        ],
      },
      { action: 'See your payouts', link },
    ],
    footer: `You're receiving this email because an administrator ${verdict} a payout that you requested at Proofdesk.`,
  }
}

export interface CertificateIssue {
  readonly fullName: string
  readonly certificateName: string
  readonly link: string
}

export function certificateIssued({ fullName, certificateName, link }: CertificateIssue): RenderedMail {
  return render({
    subject: `Certificate issued: ${certificateName}`,
    to: fullName,
    body: [
      'A certificate was issued to you. You can download it from your certificates.',
      { facts: [['Certificate Name', oneLine(certificateName)]] },
      { action: 'See your certificates', link },
    ],
    footer: "You're receiving this email because an administrator issued a certificate to your Proofdesk account.",
  })
}

const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })

/** '3 March 2026, 14:07 UTC': the reader's time zone is unknown. */
function moment(at: number): string {
  return `${day.format(at)}, ${new Date(at).toISOString().slice(11, 16)} UTC`
}
