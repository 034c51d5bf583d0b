import type { Labels } from '#services/framework/api/options.ts'

/** The roles of staff: permissions.ts says what they may do. An auditor sees and changes nothing. */
export const adminRoles = ['admin', 'payouts', 'support', 'auditor'] as const
export type AdminRole = (typeof adminRoles)[number]
export const adminRoleLabels: Labels<typeof adminRoles> = {
  admin: 'Administrator',
  payouts: 'Payouts',
  support: 'Support',
  auditor: 'Auditor',
}

/** The lists that staff download as files. */
export const downloadedLists = ['users', 'payouts', 'activity', 'batches'] as const
