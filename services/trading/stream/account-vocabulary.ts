import type { Labels, Tones } from '#services/framework/api/options.ts'

/** The values that fields of accounts may have, with their labels, and the orders of their list. */

export const accountStatuses = ['pending', 'active', 'under-review', 'breached'] as const
export const accountStatusLabels: Labels<typeof accountStatuses> = {
  pending: 'Pending',
  active: 'Active',
  'under-review': 'Under Review',
  breached: 'Breached',
}
export const accountStatusTones: Tones<typeof accountStatuses> = {
  pending: 'waiting',
  active: 'good',
  'under-review': 'review',
  breached: 'bad',
}

/** Without each of these nobody can sign in on the platform. In the order of the forms. */
export const loginFields = ['platform', 'login', 'masterPassword', 'server'] as const
export type LoginField = (typeof loginFields)[number]

/** Whether payouts are to be expected in a phase, or a stage of a programme: the one after the evaluation. */
export function isFunded({
  phase,
  programme,
}: {
  readonly phase: string | null
  readonly programme?: { readonly funded: boolean } | null
}): boolean {
  if (programme) return programme.funded
  return phase?.trim().toLowerCase() === 'funded'
}

/** Fields that the list of users is sorted by, besides the time of creation. */
const userSorts = ['fullName', 'email', 'login', 'status', 'phase', 'payoutEnabled', 'balance', 'profitLoss'] as const

/** The further orders of the list of users, each with its account. */
export const userOrders = ['createdAt' as const, ...userSorts.flatMap((field) => [field, `-${field}`] as const)]

/** The trading platforms (specification §9). */
export const platforms = ['mt4', 'mt5'] as const
export const platformLabels: Labels<typeof platforms> = { mt4: 'MT4', mt5: 'MT5' }

/** The rules that an account can break (specification §3, §9). */
export const breachRules = ['daily-drawdown', 'overall-loss', 'profit-target', 'other'] as const
export const breachRuleLabels: Labels<typeof breachRules> = {
  'daily-drawdown': 'Daily Drawdown',
  'overall-loss': 'Maximum Loss',
  'profit-target': 'Profit Target',
  other: 'Another rule',
}

/** The rule of a breach as the reader knows it: what a programme's rules found has the name that its terms have. */
export function breachRuleName(rule: (typeof breachRules)[number], isFinding: boolean): string {
  if (isFinding && rule === 'daily-drawdown') return 'Daily loss'
  if (isFinding && rule === 'overall-loss') return 'Maximum loss'
  return breachRuleLabels[rule]
}

/**
 * The heading of the limit in a breach's evidence. For a finding of a programme's rules it is "Floor", a value of the
 * account: the loss is beside it, not above it.
 */
export function evidenceLimitLabel(rule: string, isFinding: boolean): 'Floor' | 'Limit' {
  return isFinding && (rule === 'daily-drawdown' || rule === 'overall-loss') ? 'Floor' : 'Limit'
}

/** The periods of which figures are shown: their days, null for all. */
export const periods = { '7d': 7, '30d': 30, '90d': 90, all: null } as const
export type Period = keyof typeof periods

/** How a limit of a programme is reached, the gravest first. */
export const hitStates = ['breached', 'paused', 'warned', 'undetermined'] as const
export type HitState = (typeof hitStates)[number]

/** What became of a hit of a rule that judges single trades. */
export const hitOutcomes = ['tolerated', 'dismissed', 'breach', 'pause', 'warning', 'excludes-profit'] as const
export type HitOutcome = (typeof hitOutcomes)[number]
