import { adminRoles } from '#services/modules/staff/staff-vocabulary.ts'

/**
 * What each role of staff may do: the one table. Every call for staff names its permission (routes.ts), the server refuses
 * what a role lacks, screens hide it, and docs/operate.md shows the same table (permissions.test.ts compares).
 */

type AdminRole = (typeof adminRoles)[number]

const everyone = adminRoles

export const permissions = {
  read: { label: 'See users, accounts, payouts, certificates, figures and the audit', roles: everyone },
  'own-sessions': { label: 'Manage their own sessions and second factors', roles: everyone },
  export: { label: 'Download lists, account histories and proofs', roles: ['admin', 'payouts', 'auditor'] },
  'decide-payouts': { label: 'Approve and reject payouts', roles: ['admin', 'payouts'] },
  'edit-users': { label: 'Change personal information', roles: ['admin', 'support'] },
  'ban-users': { label: 'Ban and unban users, and end their sessions', roles: ['admin', 'support'] },
  'show-passwords': { label: 'Show the master password of an account', roles: ['admin', 'support'] },
  'issue-certificates': { label: 'Upload certificates, and declare them invalid', roles: ['admin', 'support'] },
  'change-accounts': { label: 'Create users, and change trading accounts', roles: ['admin'] },
  'remove-factors': { label: 'Remove the second factors of a user who lost them', roles: ['admin'] },
  'delete-users': { label: 'Delete users', roles: ['admin'] },
  'see-staff': { label: 'See the members of staff', roles: ['admin', 'auditor'] },
  'manage-staff': { label: 'Issue, change, replace and revoke access keys', roles: ['admin'] },
  operate: { label: 'Retry dead letters', roles: ['admin'] },
} as const satisfies Readonly<Record<string, { readonly label: string; readonly roles: readonly AdminRole[] }>>

export type Permission = keyof typeof permissions

/** Every permission, in the order of the table. */
export const permissionNames: readonly Permission[] = Object.keys(permissions).filter(isPermission)

export function isPermission(text: string): text is Permission {
  return Object.hasOwn(permissions, text)
}

/** Whether a role has a permission. */
export function mayRole(role: AdminRole, permission: Permission): boolean {
  const { roles }: { readonly roles: readonly AdminRole[] } = permissions[permission]
  return roles.includes(role)
}
