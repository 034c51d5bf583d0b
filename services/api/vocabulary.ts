export * from '#services/domain/vocabulary.ts'

/** The orders of lists, and choices. Loads no schemas, like the domain's vocabulary. */

/** The order of a list without `sort`: newest first. '-' before a field means descending. */
export const DEFAULT_ORDER = '-createdAt'

/** Fields that the list of users is sorted by, besides the time of creation. */
const userSorts = ['fullName', 'email', 'login', 'status', 'phase', 'payoutEnabled', 'balance', 'profitLoss'] as const

/** The further orders of the list of users. */
export const userOrders = ['createdAt' as const, ...userSorts.flatMap((field) => [field, `-${field}`] as const)]

/** The further orders of the list of payouts. 'queue' is the order of work: pending ones first, the oldest on top, then decided ones, the newest first. */
export const payoutOrders = ['queue', 'createdAt', '-amount', 'amount', 'status', '-status'] as const

/** Values and labels for a field with choices. */
export function optionsOf<Value extends string>(values: readonly Value[], labels: Readonly<Record<Value, string>>): readonly { value: Value; label: string }[] {
  return values.map((value) => ({ value, label: labels[value] }))
}
