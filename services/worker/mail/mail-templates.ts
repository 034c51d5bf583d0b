import { type MailContent, oneLine, type RenderedMail, render } from './mail-layout.ts'

/** The mails Proofdesk sends. Times are ms since 1970, links are whole. */

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
      'If you did not ask for this, ignore this mail. Your password stays as it is.',
    ],
    footer: 'You get this mail because a password reset for this address was requested at Proofdesk.',
  })
}

export function welcome({ fullName, link, expiresAt }: LinkToPassword): RenderedMail {
  return render({
    subject: 'Your Proofdesk account',
    to: fullName,
    body: [
      'An administrator created a Proofdesk account for you. Set your password with this link, then sign in.',
      { action: 'Set your password', link },
      `The link works once and is valid until ${moment(expiresAt)}. After that, ask for a new one on the Forgot password page.`,
    ],
    footer: 'You get this mail because an administrator created a Proofdesk account with your address.',
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
    footer: 'You get this mail because an administrator banned your Proofdesk account.',
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
    footer: 'You get this mail because an administrator lifted the ban of your Proofdesk account.',
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
    footer: `You get this mail because an administrator ${verdict} a payout that you requested at Proofdesk.`,
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
    footer: 'You get this mail because an administrator issued a certificate to your Proofdesk account.',
  })
}

const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })

/** '3 March 2026, 14:07 UTC': a mail does not know where it is read. */
function moment(at: number): string {
  return `${day.format(at)}, ${new Date(at).toISOString().slice(11, 16)} UTC`
}
