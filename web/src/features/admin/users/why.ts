import { accountForms, eachField } from '../../../../../services/api/account-fields.ts'
import type { UserDetails } from '../../../../../services/api/user-schemas.ts'
import { breachRules } from '../../../../../services/api/vocabulary.ts'
import type { AccountChange } from './user-management-queries.ts'

/**
 * What our dialogs ask for with a change of an account: the reason, what a breach was seen by, and whether one that ends
 * was a mistake. The server takes changes without it.
 */

export interface WhyValues {
  reason: string
  /** Whether the breach that ends was a mistake: 'yes', 'no', or not answered. */
  mistake: string
  evidence: { rule: string; limit: string; value: string; occurredAt: string }
}

export const noWhy: WhyValues = { reason: '', mistake: '', evidence: { rule: '', limit: '', value: '', occurredAt: '' } }

/** The fields of the forms, as the server names them when it finds something wrong. */
export const whyFieldNames = ['reason', 'evidence.rule', 'evidence.limit', 'evidence.value', 'evidence.occurredAt'] as const

const limitNames = accountForms.risk
type LimitName = (typeof limitNames)[number]
type Limits = Record<LimitName, string>

/** An account as a form began with it. */
export interface AccountBefore {
  readonly status: string
  /** The number of the event that breached it, while it is breached. */
  readonly breach: number | undefined
  /** Undefined for an account that has none yet: to set the first ones is no change. */
  readonly limits: Limits | undefined
}

/** A new user's account. */
export const unsavedAccount: AccountBefore = { status: 'pending', breach: undefined, limits: undefined }

export function accountBefore({ tradingAccount: account }: UserDetails): AccountBefore {
  if (!account) return unsavedAccount
  const { status, stamps } = account
  const limits = eachField(limitNames, (name) => account[name] ?? '')
  return { status, breach: status === 'breached' ? stamps.status?.number : undefined, limits }
}

/** What has to be said about a change. */
export interface WhyRequirements {
  readonly reason: boolean
  readonly evidence: boolean
  /** The number of the breach that ends, which may have been a mistake. */
  readonly ending: number | undefined
}

/** What has to be said when an account becomes what a form holds; a field that the form has not is not touched. */
export function whyRequirementsFor(
  before: AccountBefore,
  { status = before.status, ...given }: { readonly [Name in 'status' | LimitName]?: string | undefined },
): WhyRequirements {
  const isNewStatus = status !== before.status
  const { limits } = before
  const newLimits = limits && limitNames.some((limit) => (given[limit] ?? limits[limit]) !== limits[limit])
  return {
    reason: newLimits === true || (isNewStatus && (status === 'breached' || status === 'under-review')),
    evidence: isNewStatus && status === 'breached',
    ending: isNewStatus ? before.breach : undefined,
  }
}

/** Whether there is anything to ask. */
export function hasWhyRequirements({ reason, evidence, ending }: WhyRequirements): boolean {
  return reason || evidence || ending !== undefined
}

/** A mistake has to be explained, too. */
export function needsReason(asked: WhyRequirements, { mistake }: Pick<WhyValues, 'mistake'>): boolean {
  return asked.reason || (asked.ending !== undefined && mistake === 'yes')
}

/** What is sent of it. What was typed before the question went away is not. */
export function whyChangeOf(asked: WhyRequirements, { reason, mistake, evidence }: WhyValues): Pick<AccountChange, 'reason' | 'evidence' | 'corrects'> {
  const rule = breachRules.find((known) => known === evidence.rule)
  return {
    ...(hasWhyRequirements(asked) && reason.trim() !== '' && { reason: reason.trim() }),
    ...(asked.evidence &&
      rule && { evidence: { rule, limit: evidence.limit.trim(), value: evidence.value.trim(), occurredAt: toIsoMoment(evidence.occurredAt) } }),
    ...(asked.ending !== undefined && mistake === 'yes' && { corrects: asked.ending }),
  }
}

/** The moment in a field for local date and time; empty when the field holds none. */
export function toIsoMoment(local: string): string {
  const moment = new Date(local)
  return Number.isNaN(moment.getTime()) ? '' : moment.toISOString()
}

/** A moment as such a field writes it. */
export function toLocalInput(moment: Date): string {
  const two = (figure: number) => String(figure).padStart(2, '0')
  return `${moment.getFullYear()}-${two(moment.getMonth() + 1)}-${two(moment.getDate())}T${two(moment.getHours())}:${two(moment.getMinutes())}`
}

const limitOfRule: ReadonlyMap<string, LimitName> = new Map([
  ['daily-drawdown', 'dailyDrawdownLimit'],
  ['overall-loss', 'overallLossLimit'],
  ['profit-target', 'profitTarget'],
])

/** The account's own limit for a rule; there is none for another one. */
export function limitFor(rule: string, limits: Limits | undefined): string {
  const name = limitOfRule.get(rule)
  return (name && limits?.[name]) ?? ''
}
