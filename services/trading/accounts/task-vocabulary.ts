import type { Labels } from '#services/framework/api/options.ts'

/** The kinds of tasks that staff have about accounts. */
export const taskKinds = ['platform-login', 'close-on-platform', 'enable-payouts'] as const
export type TaskKind = (typeof taskKinds)[number]
export const taskKindLabels: Labels<typeof taskKinds> = {
  'platform-login': 'Assign a login',
  'close-on-platform': 'Close on the platform',
  'enable-payouts': 'Enable payouts',
}
