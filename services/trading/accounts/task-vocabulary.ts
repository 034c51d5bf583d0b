import type { Labels } from '#services/framework/api/options.ts'

/** The kinds of tasks that staff have about accounts, and about orders that were not taken. */
export const taskKinds = ['platform-login', 'close-on-platform', 'enable-payouts', 'order-not-taken'] as const
export type TaskKind = (typeof taskKinds)[number]
export const taskKindLabels: Labels<typeof taskKinds> = {
  'platform-login': 'Assign a login',
  'close-on-platform': 'Close on the platform',
  'enable-payouts': 'Enable payouts',
  'order-not-taken': 'Paid, not enrolled',
}
