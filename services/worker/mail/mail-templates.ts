import { accountField, accountForms } from '#services/modules/accounts/account-fields.ts'
import type { AccountState } from '#services/modules/account-aggregate.ts'
import type { AccountEvent } from '#services/modules/accounts/account.ts'
import { toDecimal } from '#services/money/money.ts'
import type { MailedEvent, MailedEventType } from '#services/modules/subjects.ts'
import type { PayoutEvent } from '#services/modules/payouts/payout.ts'
import type { User } from '#services/modules/users/user.ts'
import type { RecordedEvent } from '#services/event-sourcing/codec/event-codec.ts'
import { eventNumber } from '#services/event-sourcing/codec/event-number.ts'
import { accountStatusLabels, breachRuleLabels } from '#services/modules/accounts/account-vocabulary.ts'
import { payoutMethodLabels } from '#services/modules/payouts/payout-vocabulary.ts'
import { type LabelledValue, type MailContent, oneLine, presentableName, type RenderedMail, render } from './mail-layout.ts'

/** The mails that Proofdesk sends. Times are ms since 1970, links are complete. */

/** The data of a mail, besides its event. */
export interface MailContext {
  readonly user: User
  readonly loadAccount: () => Promise<AccountState>
  /** The address of a page. */
  readonly page: (path: string) => string
  /** Whom people ask for help, where the operator says so. */
  readonly supportEmail: string | undefined
  readonly now: number
}

/** A mail, and its address if that is not the user's. */
type Addressed<Mail> = Mail & { readonly address?: string }
type Written = Addressed<MailContent> | readonly Addressed<MailContent>[] | undefined
type WriteMail<Event> = (event: Event & Pick<RecordedEvent, 'position' | 'at'>, context: MailContext) => Written | Promise<Written>

/** The mails about each event that has some; undefined when they have become pointless. */
const mails: { readonly [Type in MailedEventType]: WriteMail<Extract<MailedEvent, { type: Type }>> } = {
  UserCreated: ({ data }, context) => withPasswordLink(welcome, data, context),
  PasswordResetRequested: ({ data }, context) => withPasswordLink(passwordReset, data, context),
  EmailRevertOffered: ({ data: { token, tokenHash, email, expiresAt } }, context) => {
    const { user, page, now } = context
    // The link was used, or has expired.
    if (now >= expiresAt || !user.emailReverts.some((revert) => revert.tokenHash === tokenHash)) return undefined
    const link = page(`/revert-email?token=${encodeURIComponent(token)}`)
    return [{ ...emailRevert(link, expiresAt), address: email }, emailChanged(newPasswordPage(context))]
  },
  PasswordChanged: (_event, context) => passwordChanged(newPasswordPage(context)),
  PasswordReset: ({ data }, context) => (data.mailed ? passwordChanged(newPasswordPage(context)) : undefined),
  UserBanned: ({ data }, { supportEmail }) => accountBanned(data.reason, supportEmail),
  UserUnbanned: (_, { page }) => accountUnbanned(page('/auth')),
  PayoutApproved: (event, context) => withPayout('approved', event, context),
  PayoutRejected: (event, context) => withPayout('rejected', event, context),
  PasskeyAdded: aboutFactors(({ name }) => `${passkeyNamed(name)} was added to your Proofdesk account.`),
  PasskeyRemoved: aboutFactors(({ name }) => `${passkeyNamed(name)} was removed from your Proofdesk account.`),
  AuthenticatorTurnedOn: aboutFactors(() => 'An authenticator app was turned on for your Proofdesk account.'),
  AuthenticatorTurnedOff: aboutFactors(() => 'The authenticator app of your Proofdesk account was turned off.'),
  RecoveryCodesIssued: aboutFactors(() => 'The recovery codes of your Proofdesk account were replaced. Older codes no longer work.'),
  RecoveryCodeUsed: aboutFactors(({ left }) => `A recovery code of your Proofdesk account was used. Codes left: ${left}.`),
  SecondFactorsRemoved: aboutFactors(
    () => 'All second factors of your Proofdesk account were removed. Signing in needs only your password until you add new ones.',
  ),
  SignedInFromNewBrowser: ({ data, at }, context) => newBrowser({ ...data, at, link: newPasswordPage(context) }),
  AccountStatusChanged: (event, { page, supportEmail }) => accountStatusMail({ ...event.data, link: page(entryPath(event)), supportEmail }),
  RiskLimitsChanged: (event, { page }) => limitsChanged({ ...event.data, link: page(entryPath(event)) }),
  PhaseChanged: (event, { page }) => phaseChanged({ ...event.data, link: page(entryPath(event)) }),
  PayoutsEnabled: (event, { page }) => payoutsEnabled(page(entryPath(event))),
  CertificateIssued: ({ data }, { page }) => certificateIssued(data.name, page('/certificates')),
  CertificateRevoked: ({ data }, { page }) => certificateRevoked(data.reason, page('/certificates')),
}

export async function writeMails<Type extends MailedEventType>(
  type: Type,
  event: Extract<MailedEvent, { type: Type }> & Pick<RecordedEvent, 'position' | 'at'>,
  context: MailContext,
): Promise<readonly Addressed<RenderedMail>[]> {
  const written = await mails[type](event, context)
  const letters = written === undefined ? [] : [written].flat()
  return letters.map(({ address, ...content }) => ({ ...render(context.user.fullName, content), ...(address !== undefined && { address }) }))
}

/** Whether a mail is sent about events of a type. */
export function isMailed<Event extends { readonly type: string }>(event: Event): event is Event & { readonly type: MailedEventType } {
  return Object.hasOwn(mails, event.type)
}

function withPasswordLink(
  template: (link: string, expiresAt: number) => MailContent,
  { token, tokenHash, expiresAt }: Extract<MailedEvent, { type: 'UserCreated' | 'PasswordResetRequested' }>['data'],
  { user, page, now }: MailContext,
): MailContent | undefined {
  // The link was used, has expired, or a newer one replaced it.
  if (user.passwordLink?.tokenHash !== tokenHash || now >= expiresAt) return undefined
  return template(page(`/reset-password?token=${encodeURIComponent(token)}`), expiresAt)
}

async function withPayout(
  verdict: Verdict,
  { data: { payoutId, amount, notes } }: Extract<PayoutEvent, { type: 'PayoutApproved' | 'PayoutRejected' }>,
  { loadAccount, page }: MailContext,
): Promise<MailContent | undefined> {
  const payout = (await loadAccount()).payouts.get(payoutId)
  if (!payout) return undefined
  const method = payoutMethodLabels[payout.method]
  return payoutDecided(verdict, { payoutId, amount: inDollars(amount), method, notes, link: page('/payouts') })
}

/** Where a new password is asked for. */
function newPasswordPage({ page }: MailContext): string {
  return page('/forgot-password')
}

/** @param what What changed, in a sentence. */
function aboutFactors<Data>(what: (data: Data) => string) {
  return ({ data }: { readonly data: Data }, context: MailContext) => factorsChanged(what(data), newPasswordPage(context))
}

/** The entry in the trader's history. */
function entryPath(event: Pick<RecordedEvent, 'position'>): string {
  return `/history?at=${eventNumber(event)}`
}

function inDollars(cents: number): string {
  const [whole = '', fraction = ''] = toDecimal(cents).split('.')
  return `$${Number(whole).toLocaleString('en-US')}.${fraction}`
}

/** @param expiresAt Ms since 1970. */
export function passwordReset(link: string, expiresAt: number): MailContent {
  return {
    subject: 'Reset your Proofdesk password',
    body: [
      'A password reset was requested for your Proofdesk account. If that was you, choose a new password with this link.',
      { action: 'Choose a new password', link },
      `The link works once and is valid for one hour, until ${moment(expiresAt)}.`,
      'If you did not request this, ignore this email. Your password stays as it is.',
    ],
    footer: "You're receiving this email because a password reset for this address was requested at Proofdesk.",
  }
}

/** @param expiresAt Ms since 1970. */
export function welcome(link: string, expiresAt: number): MailContent {
  return {
    subject: 'Your Proofdesk account',
    body: [
      'An administrator created a Proofdesk account for you. Set your password with this link, then sign in.',
      { action: 'Set your password', link },
      `The link works once and is valid until ${moment(expiresAt)}. After that, request a new one on the Forgot password page.`,
    ],
    footer: "You're receiving this email because an administrator created a Proofdesk account with your address.",
  }
}

/** @param expiresAt Ms since 1970. */
export function emailRevert(link: string, expiresAt: number): MailContent {
  return {
    subject: 'Your Proofdesk email was changed',
    body: [
      'The email of your Proofdesk account was changed to another address. If that was you, ignore this email.',
      'If it was not you, take the change back with this link. Everyone is signed out, and you choose a new password.',
      { action: 'Take the change back', link },
      `The link works once, until ${moment(expiresAt)}.`,
    ],
    footer: "You're receiving this email because this address belonged to a Proofdesk account until now.",
  }
}

/** @param link Where to set a new password. */
export function emailChanged(link: string): MailContent {
  return {
    subject: 'Your Proofdesk email was changed',
    body: [
      'The email of your Proofdesk account was changed to this address. From now on, use it to sign in.',
      'If you did not expect this, set a new password.',
      { action: 'Set a new password', link },
    ],
    footer: "You're receiving this email because this address now belongs to a Proofdesk account.",
  }
}

/** @param link Where to set a new password. */
export function passwordChanged(link: string): MailContent {
  return {
    subject: 'Your Proofdesk password was changed',
    body: [
      'The password of your Proofdesk account was changed, and your other browsers were signed out. If that was you, ignore this email.',
      'If it was not you, set a new password now.',
      { action: 'Set a new password', link },
    ],
    footer: "You're receiving this email because the password of your Proofdesk account was changed.",
  }
}

/** A passkey by its name, which must not carry a link either. */
function passkeyNamed(name: string): string {
  const shown = presentableName(name)
  return shown === '' ? 'A passkey' : `The passkey "${shown}"`
}

/** @param what What changed, in a sentence. @param link Where to set a new password. */
export function factorsChanged(what: string, link: string): MailContent {
  return {
    subject: 'Your Proofdesk second factors were changed',
    body: [
      `${oneLine(what)} If that was you, ignore this email.`,
      'If it was not you, set a new password now, then check your passkeys and your authenticator app in Settings, or contact support.',
      { action: 'Set a new password', link },
    ],
    footer: "You're receiving this email because the way to sign in to your Proofdesk account was changed or used.",
  }
}

/** @param client.at Ms since 1970. @param client.link Where to set a new password. */
export function newBrowser({ browser, address, at, link }: Record<'browser' | 'address' | 'link', string> & { readonly at: number }): MailContent {
  return {
    subject: 'Your Proofdesk account was used in a new browser',
    body: [
      'Someone signed in to your Proofdesk account from a browser that had not been used for it before. If that was you, ignore this email.',
      {
        facts: [
          ['Browser', oneLine(browser)],
          ['Time', moment(at)],
          ['Address (approximate)', oneLine(address)],
        ],
      },
      'If it was not you, set a new password now. That signs out every browser.',
      { action: 'Set a new password', link },
    ],
    footer: "You're receiving this email because of a sign-in to your Proofdesk account.",
  }
}

/** @param reason May be empty. @param supportEmail Whom to ask, where the operator says so. */
export function accountBanned(reason: string, supportEmail: string | undefined): MailContent {
  const why = reason.trim()
  return {
    subject: 'Your Proofdesk account was banned',
    body: [
      why === '' ? 'Your account has been banned. Please contact support for assistance.' : `Your account has been banned: ${why}`,
      'You were signed out everywhere and cannot sign in while the ban lasts.',
      ...(supportEmail === undefined ? [] : [`If you think that this is a mistake, contact support at ${oneLine(supportEmail)}.`]),
    ],
    footer: "You're receiving this email because an administrator banned your Proofdesk account.",
  }
}

export function accountUnbanned(link: string): MailContent {
  return {
    subject: 'Your Proofdesk account is no longer banned',
    body: ['The ban of your account was lifted. You can sign in again.', { action: 'Open Proofdesk', link }],
    footer: "You're receiving this email because an administrator lifted the ban of your Proofdesk account.",
  }
}

type Verdict = 'approved' | 'rejected'

export interface DecidedPayout {
  readonly payoutId: string
  /** With its sign: '$250.00'. */
  readonly amount: string
  /** As people read it: 'Bank Transfer'. */
  readonly method: string
  /** The administrator's; may be empty. */
  readonly notes: string
  readonly link: string
}

export function payoutDecided(verdict: Verdict, { payoutId, amount, method, notes, link }: DecidedPayout): MailContent {
  const sum = oneLine(amount)
  return {
    subject: `Your payout of ${sum} was ${verdict}`,
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

export function certificateIssued(certificateName: string, link: string): MailContent {
  return {
    subject: `Certificate issued: ${certificateName}`,
    body: [
      'A certificate was issued to you. You can download it from your certificates.',
      { facts: [['Certificate Name', oneLine(certificateName)]] },
      { action: 'See your certificates', link },
    ],
    footer: "You're receiving this email because an administrator issued a certificate to your Proofdesk account.",
  }
}

function certificateRevoked(reason: string | null, link: string): MailContent {
  return {
    subject: 'Certificate revoked',
    body: [
      'A certificate that was issued to you was revoked: it is no longer valid. If you shared it, its page says so.',
      ...(reason === null ? [] : [{ facts: [['Reason', oneLine(reason)] as const] }]),
      { action: 'See your certificates', link },
    ],
    footer: "You're receiving this email because an administrator revoked a certificate of your Proofdesk account.",
  }
}

type DataOf<Type extends AccountEvent['type']> = Extract<AccountEvent, { type: Type }>['data']

interface WithEntry {
  /** The entry in the trader's history. */
  readonly link: string
}

const ABOUT_ACCOUNT = "You're receiving this email because an administrator changed your Proofdesk account. Settings say which mails you get."

const SEE_ENTRY = 'See the entry in your history'

type StatusChange = DataOf<'AccountStatusChanged'> & WithEntry & Pick<MailContext, 'supportEmail'>

/** Breach, correction, review and its end; undefined for other changes of status. */
export function accountStatusMail(change: StatusChange): MailContent | undefined {
  const { from, to, reason, evidence, corrects, link, supportEmail } = change
  const why: LabelledValue[] = reason?.trim() ? [['Reason', reason.trim()]] : []
  const facts = (rows: LabelledValue[]) => (rows.length > 0 ? [{ facts: rows }] : [])
  const support = supportEmail === undefined ? 'contact support' : `contact support at ${oneLine(supportEmail)}`
  const see = { action: SEE_ENTRY, link }
  const footer = ABOUT_ACCOUNT
  if (to === 'breached') {
    const seen: LabelledValue[] = evidence
      ? [
          ['Rule', breachRuleLabels[evidence.rule]],
          ['Limit', oneLine(evidence.limit)],
          ['Value', oneLine(evidence.value)],
          ['When', moment(evidence.occurredAt)],
        ]
      : []
    const next = `Trading on this account has ended. If you think that this is a mistake, ${support}: a breach can be corrected.`
    return { subject: 'Your Proofdesk account was breached', body: ['A rule of your account was broken.', ...facts([...seen, ...why]), next, see], footer }
  }
  if (corrects)
    return {
      subject: 'The breach of your account was corrected',
      body: [
        `The breach of your account was a mistake and is corrected. Your account is ${statusWord(to)} now.`,
        ...facts(why),
        'The mistaken entry stays in your history, next to its correction.',
        see,
      ],
      footer,
    }
  if (to === 'under-review')
    return {
      subject: 'Your Proofdesk account is under review',
      body: [
        'Your trading activity is being reviewed.',
        ...facts(why),
        `You need to do nothing now. You get a mail when the review ends. With questions, ${support}.`,
        see,
      ],
      footer,
    }
  if (from === 'under-review')
    return {
      subject: 'The review of your account has ended',
      body: [`The review of your account has ended. Your account is ${statusWord(to)} now.`, ...facts(why), see],
      footer,
    }
  return undefined
}

function statusWord(status: DataOf<'AccountStatusChanged'>['to']): string {
  return accountStatusLabels[status].toLowerCase()
}

/** Undefined for the first limits of an account. */
export function limitsChanged({ from, to, reason, link }: DataOf<'RiskLimitsChanged'> & WithEntry): MailContent | undefined {
  const names = accountForms.risk
  if (names.every((name) => from[name] === null)) return undefined
  const changed = names.filter((name) => from[name] !== to[name])
  return {
    subject: 'The limits of your account were changed',
    body: [
      'The limits of your account were changed. They apply from now on.',
      {
        facts: [
          ...changed.map((name): LabelledValue => [accountField(name).label, `${oneLine(from[name] ?? 'none')} → ${oneLine(to[name] ?? 'none')}`]),
          ...(reason?.trim() ? [['Reason', reason.trim()] as const] : []),
        ],
      },
      'Check before your next trade how much room is left: the dashboard shows it.',
      { action: SEE_ENTRY, link },
    ],
    footer: ABOUT_ACCOUNT,
  }
}

/** Undefined for the first phase of an account. */
export function phaseChanged({ from, to, link }: DataOf<'PhaseChanged'> & WithEntry): MailContent | undefined {
  if (from === null || to === null) return undefined
  return {
    subject: 'Your account is in a new phase',
    body: [
      `Your account passed from ${oneLine(from)} to ${oneLine(to)}.`,
      'Target and limits of the new phase are on your dashboard.',
      { action: SEE_ENTRY, link },
    ],
    footer: ABOUT_ACCOUNT,
  }
}

/** @param link The entry in the trader's history. */
export function payoutsEnabled(link: string): MailContent {
  return {
    subject: 'You can request payouts now',
    body: ['Payouts were enabled for your account. You can request one on the Payouts page; an administrator decides on each.', { action: SEE_ENTRY, link }],
    footer: ABOUT_ACCOUNT,
  }
}

const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })

/** '3 March 2026, 14:07 UTC': the reader's time zone is unknown. */
function moment(at: number): string {
  return `${day.format(at)}, ${new Date(at).toISOString().slice(11, 16)} UTC`
}
