import type { UserDetails } from '#services/trading/traders/trader-api.ts'
import { accountForms } from '#services/trading/accounts/account-fields.ts'
import { breachRules } from '#services/trading/stream/account-vocabulary.ts'
import type { AccountChange } from './staff-account-queries.ts'

/**
 * Our dialogs ask about a change: its reason, a breach's evidence, whether a breach was a mistake. The server
 * requires none of it.
 */

/** Field by field, as the server names them in its validation messages. */
export const noWhy = {
  reason: '',
  /** Whether the breach that ends was a mistake: 'yes', 'no', or not answered. */
  mistake: '',
  /** `record` says whether the record shows the loss: 'lacks' where staff know that it does not. */
  evidence: { rule: '', limit: '', value: '', occurredAt: '', record: '' },
}
export type WhyValues = typeof noWhy

/** The account that a form began with; null for a user who has none yet. */
export type AccountBefore = UserDetails['tradingAccount']

const limitNames = accountForms.risk
type LimitName = (typeof limitNames)[number]

/** The answers that a change requires. */
export interface WhyRequirements {
  readonly reason: boolean
  readonly evidence: boolean
  /** The number of the breach that ends, which may have been a mistake. */
  readonly ending: number | undefined
}

/** The fields of a form that decide what has to be said, as far as it has them. */
export type AccountAfter = { readonly [Name in 'status' | 'mistake' | LimitName]?: string | undefined }

/**
 * The questions that a change of an account to a form's values must answer; undefined for none. Fields that are not in
 * the form stay as they are.
 */
export function whyRequirementsFor(
  account: AccountBefore,
  { status, mistake, ...limits }: AccountAfter,
): WhyRequirements | undefined {
  const isNewStatus = status !== undefined && status !== (account?.status ?? 'pending')
  // To set the first limits is no change.
  const isNewLimit =
    account !== null && limitNames.some((name) => limits[name] !== undefined && limits[name] !== (account[name] ?? ''))
  const evidence = isNewStatus && status === 'breached'
  const ending = isNewStatus && account?.status === 'breached' ? account.stamps.status?.number : undefined
  // A mistake has to be explained, too.
  const reason =
    isNewLimit || evidence || (isNewStatus && status === 'under-review') || (ending !== undefined && mistake === 'yes')
  return reason || ending !== undefined ? { reason, evidence, ending } : undefined
}

/** Whether what was traded is compared with a rule. */
export function asksForRecord(rule: string): boolean {
  return rule === 'daily-drawdown' || rule === 'overall-loss'
}

/** The evidence in the fields, as the API takes it. */
export function evidenceOf({ evidence: { rule, limit, value, occurredAt, record } }: WhyValues) {
  return {
    rule: breachRules.find((known) => known === rule),
    limit: limit.trim(),
    value: value.trim(),
    occurredAt: toIsoMoment(occurredAt),
    ...(record === 'lacks' && { offRecord: true }),
  }
}

/** Returns what is sent of it, without what was typed before the question disappeared. */
export function whyChangeOf(
  account: AccountBefore,
  values: WhyValues & AccountAfter,
): Pick<AccountChange, 'reason' | 'evidence' | 'corrects'> {
  const requirements = whyRequirementsFor(account, values)
  if (!requirements) return {}
  const reason = values.reason.trim()
  const { rule, ...evidence } = evidenceOf(values)
  return {
    ...(reason !== '' && { reason }),
    ...(requirements.evidence &&
      rule && {
        evidence: {
          rule,
          ...evidence,
          // Asked of an account that has a record: the server compares either answer with it.
          ...(account && asksForRecord(rule) && { offRecord: values.evidence.record === 'lacks' }),
        },
      }),
    ...(requirements.ending !== undefined && values.mistake === 'yes' && { corrects: requirements.ending }),
  }
}

/** The moment in a field for local date and time; empty when the field holds none. */
export function toIsoMoment(local: string): string {
  const moment = new Date(local)
  return Number.isNaN(moment.getTime()) ? '' : moment.toISOString()
}

/** A moment as such a field writes it. */
export function toLocalInput(moment: Date): string {
  return new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

const limitOfRule: ReadonlyMap<string, LimitName> = new Map([
  ['daily-drawdown', 'dailyDrawdownLimit'],
  ['overall-loss', 'overallLossLimit'],
  ['profit-target', 'profitTarget'],
])

/** The account's own limit for a rule; there is none for another one. */
export function limitFor(rule: string, account: AccountBefore): string {
  const name = limitOfRule.get(rule)
  return (name && account?.[name]) ?? ''
}
