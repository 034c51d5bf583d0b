export * from '../domain/vocabulary.ts'

/** The orders of lists, and choices. Like the domain's vocabulary it loads no schemas. */

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
