import { accountForms, eachField } from '../../../../../services/api/account-fields.ts'
import type { UserDetails } from '../../../../../services/api/user-schemas.ts'
import { breachRules } from '../../../../../services/api/vocabulary.ts'
import type { AccountChange } from './user-management-queries.ts'

/** What our dialogs ask about a change: its reason, a breach's evidence, whether a breach was a mistake. The server requires none of it. */

/** Field by field, as the server names them in its validation messages. */
export const noWhy = {
  reason: '',
  /** Whether the breach that ends was a mistake: 'yes', 'no', or not answered. */
  mistake: '',
  'evidence.rule': '',
  'evidence.limit': '',
  'evidence.value': '',
  'evidence.occurredAt': '',
}
export type WhyValues = typeof noWhy

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

/** The fields of a form that may need an explanation, as far as it has them. */
export type AccountAfter = { readonly [Name in 'status' | LimitName]?: string | undefined }

/** The questions that a change of an account to a form's values must answer; fields that are not in the form stay as they are. */
export function whyRequirementsFor(before: AccountBefore, { status = before.status, ...after }: AccountAfter): WhyRequirements {
  const isNewStatus = status !== before.status
  const { limits } = before
  const newLimits = limits && limitNames.some((limit) => (after[limit] ?? limits[limit]) !== limits[limit])
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
export function needsReason(requirements: WhyRequirements, { mistake }: Pick<WhyValues, 'mistake'>): boolean {
  return requirements.reason || (requirements.ending !== undefined && mistake === 'yes')
}

/** The evidence in the fields, as the API takes it. */
export function evidenceOf(values: WhyValues) {
  const rule = breachRules.find((known) => known === values['evidence.rule'])
  const occurredAt = toIsoMoment(values['evidence.occurredAt'])
  return { rule, limit: values['evidence.limit'].trim(), value: values['evidence.value'].trim(), occurredAt }
}

/** What is sent of it; not what was typed before the question disappeared. */
export function whyChangeOf(requirements: WhyRequirements, values: WhyValues): Pick<AccountChange, 'reason' | 'evidence' | 'corrects'> {
  const reason = values.reason.trim()
  const { rule, ...evidence } = evidenceOf(values)
  return {
    ...(hasWhyRequirements(requirements) && reason !== '' && { reason }),
    ...(requirements.evidence && rule && { evidence: { rule, ...evidence } }),
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
export function limitFor(rule: string, limits: Limits | undefined): string {
  const name = limitOfRule.get(rule)
  return (name && limits?.[name]) ?? ''
}
