import { formatLimit } from '#services/framework/api/money.ts'
import { accountId, type AccountId, type FindingId } from '#services/framework/ids.ts'
import { accountIn, entryPath, type MailContext } from '#services/framework/mails/mail-context.ts'
import { FIRM, type LabelledValue, type MailContent, moment, oneLine } from '#services/framework/mails/mail-layout.ts'
import type { Mails } from '#services/framework/module.ts'
import { inDollars } from '#services/rules/money.ts'
import type { accountDescriptions } from '#services/trading/stream/account-descriptions.ts'
import { accountField, accountForms } from '../account-fields.ts'
import { accountStatusLabels, breachRuleName, evidenceLimitLabel } from '#services/trading/stream/account-vocabulary.ts'
import type { AccountState } from '#services/trading/stream/account-aggregate.ts'
import { type AccountEvent, isSameLogin, missingOfLogin } from '#services/trading/stream/account.ts'
import { arithmeticOf, type EvidenceLine } from '#services/trading/stream/finding-arithmetic.ts'
import { foundIn, isSameHit } from '#services/trading/stream/found.ts'

/** The data of a mail about an account. */
export interface AccountMailContext extends MailContext {
  /** The account at the mail's event, or later. */
  readonly loadAccount: (id: AccountId) => Promise<AccountState>
}

/** The mails about changes of an account. */
export const accountMails: Mails<AccountEvent, typeof accountDescriptions, AccountMailContext> = {
  AccountStatusChanged: async (event, { page, supportEmail, loadAccount }) => {
    const { finding } = event.data
    const account = finding ? await loadAccount(accountId.parse(accountIn(event))) : null
    const arithmetic = account ? arithmeticOfFinding(account, finding) : []
    return accountStatusMail({ ...event.data, arithmetic, link: page(entryPath(event)), supportEmail })
  },
  RiskLimitsChanged: (event, { page }) => limitsChanged({ ...event.data, link: page(entryPath(event)) }),
  PhaseChanged: (event, { page }) => phaseChanged({ ...event.data, link: page(entryPath(event)) }),
  StagePassed: (event, { page }) => stagePassed(event.data.name, page(entryPath(event))),
  PlatformLoginAssigned: async (event, { page, loadAccount }) => {
    const { from, to, masterPassword } = event.data
    // A new password for the same login is no login that becomes ready.
    if (isSameLogin(from, to) || masterPassword === null) return undefined
    const { account } = await loadAccount(accountId.parse(accountIn(event)))
    const isReady = account.open && isSameLogin(account, to) && missingOfLogin(account).length === 0
    return isReady ? loginReady(page('/')) : undefined
  },
  PayoutsEnabled: (event, { page }) => payoutsEnabled(page(entryPath(event))),
}

type DataOf<Type extends AccountEvent['type']> = Extract<AccountEvent, { type: Type }>['data']

interface WithEntry {
  /** The entry in the trader's history. */
  readonly link: string
}

const ABOUT_ACCOUNT = `You're receiving this email because your ${FIRM} account changed. Settings say which mails you get.`

const SEE_ENTRY = 'See the entry in your history'

interface StatusChange extends DataOf<'AccountStatusChanged'>, WithEntry, Pick<MailContext, 'supportEmail'> {
  /** Of the finding that led to it; none where a person decided. */
  readonly arithmetic: readonly EvidenceLine[]
}

/** None once the rules do not find it any more. */
function arithmeticOfFinding({ stage, findings }: AccountState, id: FindingId | null | undefined) {
  const raised = findings.list.find((one) => one.id === id)
  const found =
    stage && raised && foundIn(stage).find(({ kind, hit }) => kind === raised.kind && isSameHit(hit, raised.hit))
  return stage && found ? arithmeticOf(stage, found) : []
}

/** Each amount on a line. What has none is the reason in other words. */
function linesOfArithmetic({ what, at, amount }: EvidenceLine): LabelledValue[] {
  return amount === null ? [] : [[oneLine(at === null ? what : `${what}, ${moment(at)}`), inDollars(amount)]]
}

/** Breach, correction, review and its end; undefined for other changes of status. */
export function accountStatusMail(change: StatusChange): MailContent | undefined {
  const { from, to, reason, evidence, corrects, finding, arithmetic, link, supportEmail } = change
  const why: LabelledValue[] = reason?.trim() ? [['Reason', reason.trim()]] : []
  const details = (rows: LabelledValue[]) => (rows.length > 0 ? [{ details: rows }] : [])
  const support = supportEmail === undefined ? 'contact support' : `contact support at ${oneLine(supportEmail)}`
  const amounts = arithmetic.flatMap(linesOfArithmetic)
  const how = amounts.length > 0 ? ['This is how it was computed:', { details: amounts }] : []
  const see = { action: SEE_ENTRY, link }
  const footer = ABOUT_ACCOUNT
  if (to === 'breached') {
    const isFinding = Boolean(finding)
    const limit = evidence ? formatLimit(oneLine(evidence.limit)) : ''
    const seen: LabelledValue[] = evidence
      ? [
          ...(isFinding && evidence.rule === 'other'
            ? // The limit of a finding without a floor is the name of its rule.
              [['Rule', limit] as const]
            : [
                ['Rule', breachRuleName(evidence.rule, isFinding)] as const,
                [evidenceLimitLabel(evidence.rule, isFinding), limit] as const,
              ]),
          ['Value', formatLimit(oneLine(evidence.value))],
          ['When', moment(evidence.occurredAt)],
        ]
      : []
    const next = `Trading on this account has ended. If you think that this is a mistake, ${support}: a breach can be corrected.`
    return {
      subject: `Your ${FIRM} account was breached`,
      body: ['A rule of your account was broken.', ...details([...seen, ...why]), ...how, next, see],
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
      subject: `Your ${FIRM} account is under review`,
      body: [
        'Your trading activity is being reviewed.',
        ...details(why),
        ...how,
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

/** @param link The dashboard, which shows the login: a mail never does. */
export function loginReady(link: string): MailContent {
  return {
    subject: 'Your platform login is ready',
    body: [
      'Your login on the trading platform is ready. Your dashboard shows login, password and server, and how to sign in with them.',
      { action: 'See your login', link },
      'Never share the password: anyone who has it can trade on your account.',
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
