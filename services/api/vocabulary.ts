/**
 * Values that fields may have, each with its label, and the orders of lists: defined once for schemas, screens, mails and
 * files. Without imports, so that a browser's first page need not load the schemas.
 */

export const accountStatuses = ['pending', 'active', 'under-review', 'breached'] as const
export const accountStatusLabels: Labels<typeof accountStatuses> = {
  pending: 'Pending',
  active: 'Active',
  'under-review': 'Under Review',
  breached: 'Breached',
}

export const payoutStatuses = ['pending', 'approved', 'rejected'] as const
export const payoutStatusLabels: Labels<typeof payoutStatuses> = { pending: 'Pending', approved: 'Approved', rejected: 'Rejected' }

/** Ways to be paid (specification §9). */
export const payoutMethods = ['bank', 'paypal', 'crypto', 'skrill'] as const
export const payoutMethodLabels: Labels<typeof payoutMethods> = { bank: 'Bank Transfer', paypal: 'PayPal', crypto: 'Cryptocurrency', skrill: 'Skrill' }

/** The rules that an account can break (specification §3, §9). */
export const breachRules = ['daily-drawdown', 'overall-loss', 'profit-target', 'other'] as const
export const breachRuleLabels: Labels<typeof breachRules> = {
  'daily-drawdown': 'Daily Drawdown',
  'overall-loss': 'Overall Loss',
  'profit-target': 'Profit Target',
  other: 'Another rule',
}

/** An auditor sees what an administrator sees and changes nothing. */
export const adminRoles = ['admin', 'auditor'] as const

/** The order of a list without `sort`: newest first. '-' before a field means from the largest down. */
export const DEFAULT_ORDER = '-createdAt'

/** What else the list of users can be sorted by. */
export const userOrders = [
  'createdAt',
  'fullName',
  '-fullName',
  'email',
  '-email',
  'login',
  '-login',
  'status',
  '-status',
  'phase',
  '-phase',
  'payoutEnabled',
  '-payoutEnabled',
  'balance',
  '-balance',
  'profitLoss',
  '-profitLoss',
] as const

/** What else the list of payouts can be sorted by. */
export const payoutOrders = ['createdAt', '-amount', 'amount', 'status', '-status'] as const

/** The field that an order sorts by. */
export type SortField<Order extends string> = Order extends `-${infer Field}` ? Field : Order

/** Values and labels as a field with choices takes them. */
export function optionsOf<Value extends string>(values: readonly Value[], labels: Readonly<Record<Value, string>>): readonly { value: Value; label: string }[] {
  return values.map((value) => ({ value, label: labels[value] }))
}

type Labels<Values extends readonly string[]> = Readonly<Record<Values[number], string>>
