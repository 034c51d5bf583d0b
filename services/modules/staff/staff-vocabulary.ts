import type { Labels } from '#services/api/options.ts'

/** The roles of staff: services/api/permissions.ts says what each may do. An auditor sees and changes nothing. */
export const adminRoles = ['admin', 'payouts', 'support', 'auditor'] as const
export const adminRoleLabels: Labels<typeof adminRoles> = { admin: 'Administrator', payouts: 'Payouts', support: 'Support', auditor: 'Auditor' }

/** The lists that staff download as files. */
export const downloadedLists = ['users', 'payouts'] as const
