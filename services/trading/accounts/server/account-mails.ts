import { formatLimit } from '#services/framework/api/money.ts'
import { entryPath, type MailContext } from '#services/framework/mails/mail-context.ts'
import { type LabelledValue, type MailContent, moment, oneLine } from '#services/framework/mails/mail-layout.ts'
import type { Mails } from '#services/framework/module.ts'
import type { accountDescriptions } from '#services/trading/stream/account-descriptions.ts'
import { accountField, accountForms } from '../account-fields.ts'
import {
  accountStatusLabels,
  breachRuleLabels,
  evidenceLimitLabel,
} from '#services/trading/stream/account-vocabulary.ts'
import type { AccountEvent } from '#services/trading/stream/account.ts'

/** The mails about changes of an account. */
export const accountMails: Mails<AccountEvent, typeof accountDescriptions> = {
  AccountStatusChanged: (event, { page, supportEmail }) =>
    accountStatusMail({ ...event.data, link: page(entryPath(event)), supportEmail }),
  RiskLimitsChanged: (event, { page }) => limitsChanged({ ...event.data, link: page(entryPath(event)) }),
  PhaseChanged: (event, { page }) => phaseChanged({ ...event.data, link: page(entryPath(event)) }),
  StagePassed: (event, { page }) => stagePassed(event.data.name, page(entryPath(event))),
  PayoutsEnabled: (event, { page }) => payoutsEnabled(page(entryPath(event))),
}

type DataOf<Type extends AccountEvent['type']> = Extract<AccountEvent, { type: Type }>['data']

interface WithEntry {
  /** The entry in the trader's history. */
  readonly link: string
}

const ABOUT_ACCOUNT =
  "You're receiving this email because your Proofdesk account changed. Settings say which mails you get."

const SEE_ENTRY = 'See the entry in your history'

type StatusChange = DataOf<'AccountStatusChanged'> & WithEntry & Pick<MailContext, 'supportEmail'>

/** Breach, correction, review and its end; undefined for other changes of status. */
export function accountStatusMail(change: StatusChange): MailContent | undefined {
  const { from, to, reason, evidence, corrects, finding, link, supportEmail } = change
  const why: LabelledValue[] = reason?.trim() ? [['Reason', reason.trim()]] : []
  const details = (rows: LabelledValue[]) => (rows.length > 0 ? [{ details: rows }] : [])
  const support = supportEmail === undefined ? 'contact support' : `contact support at ${oneLine(supportEmail)}`
  const see = { action: SEE_ENTRY, link }
  const footer = ABOUT_ACCOUNT
  if (to === 'breached') {
    const seen: LabelledValue[] = evidence
      ? [
          ['Rule', breachRuleLabels[evidence.rule]],
          [evidenceLimitLabel(evidence.rule, Boolean(finding)), formatLimit(oneLine(evidence.limit))],
          ['Value', formatLimit(oneLine(evidence.value))],
          ['When', moment(evidence.occurredAt)],
        ]
      : []
    const next = `Trading on this account has ended. If you think that this is a mistake, ${support}: a breach can be corrected.`
    return {
      subject: 'Your Proofdesk account was breached',
      body: ['A rule of your account was broken.', ...details([...seen, ...why]), next, see],
      footer,
    }
  }
  if (corrects)
    return {
      subject: 'The breach of your account was corrected',
      body: [
        `The breach of your account was a mistake and is corrected. Your account is ${statusWord(to)} now.`,
        ...details(why),
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
        ...details(why),
        `You need to do nothing now. You get a mail when the review ends. With questions, ${support}.`,
        see,
      ],
      footer,
    }
  if (from === 'under-review')
    return {
      subject: 'The review of your account has ended',
      body: [`The review of your account has ended. Your account is ${statusWord(to)} now.`, ...details(why), see],
      footer,
    }
  return undefined
}

function statusWord(status: DataOf<'AccountStatusChanged'>['to']): string {
  return accountStatusLabels[status].toLowerCase()
}

function stagePassed(name: string, link: string): MailContent {
  return {
    subject: `You passed ${oneLine(name)}`,
    body: [
      `You passed ${oneLine(name)}. Its account is closed, and your account for the next stage is open.`,
      'Your login for it follows: your account page shows it once it is there.',
      { action: SEE_ENTRY, link },
    ],
    footer: ABOUT_ACCOUNT,
  }
}

/** Undefined for the first limits of an account. */
export function limitsChanged({
  from,
  to,
  reason,
  link,
}: DataOf<'RiskLimitsChanged'> & WithEntry): MailContent | undefined {
  const names = accountForms.risk
  if (names.every((name) => from[name] === null)) return undefined
  const changed = names.filter((name) => from[name] !== to[name])
  return {
    subject: 'The limits of your account were changed',
    body: [
      'The limits of your account were changed. They apply from now on.',
      {
        details: [
          ...changed.map((name): LabelledValue => [
            accountField(name).label,
            `${limitIn(from[name])} → ${limitIn(to[name])}`,
          ]),
          ...(reason?.trim() ? [['Reason', reason.trim()] as const] : []),
        ],
      },
      'Check before your next trade how much room is left: the dashboard shows it.',
      { action: SEE_ENTRY, link },
    ],
    footer: ABOUT_ACCOUNT,
  }
}

function limitIn(limit: string | null): string {
  return limit === null ? 'none' : formatLimit(oneLine(limit))
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
    body: [
      'Payouts were enabled for your account. You can request one on the Payouts page; an administrator decides on each.',
      { action: SEE_ENTRY, link },
    ],
    footer: ABOUT_ACCOUNT,
  }
}
