import type { KeyScope } from '#services/identity/api-keys/api-key-vocabulary.ts'
import type { Access } from '#services/framework/api/route.ts'
import { type AdminRole, adminRoles } from './staff-vocabulary.ts'

interface DeclaredPermission {
  readonly label: string
  readonly roles: readonly AdminRole[]
}

/** The permissions of staff, and the roles that have them. docs/operate.md shows the same table. */
export const permissions = {
  'own-sessions': { label: 'Manage their own sessions, second factors and saved views', roles: adminRoles },
  'edit-users': { label: 'Change personal information', roles: ['admin', 'support'] },
  'write-notes': { label: 'Write internal notes on users', roles: ['admin', 'support', 'payouts'] },
  'ban-users': { label: 'Ban and unban users, and end their sessions', roles: ['admin', 'support'] },
  'delete-users': { label: 'Delete users', roles: ['admin'] },
  'remove-factors': { label: 'Remove the second factors of a user who lost them, at once', roles: ['admin'] },
  'help-sign-in': {
    label: 'Send users another link to set their password, and have lost second factors removed after 24 hours',
    roles: ['admin', 'support'],
  },
  'change-accounts': { label: 'Create users, and change trading accounts', roles: ['admin'] },
  'do-tasks': {
    label: 'Assign platform logins, enable payouts, and say that a login is closed on the platform',
    roles: ['admin', 'support'],
  },
  'show-passwords': { label: 'Show the master password of an account', roles: ['admin', 'support'] },
  'import-statements': { label: 'Import statements, and correct observations', roles: ['admin', 'support'] },
  'decide-findings': { label: 'Confirm and dismiss findings of the rules', roles: ['admin', 'support'] },
  'decide-cases': { label: 'Answer and decide cases', roles: ['admin', 'support'] },
  'read-case-files': { label: 'See the files of cases', roles: ['admin', 'support', 'auditor'] },
  'decide-payouts': { label: 'Approve and reject payouts', roles: ['admin', 'payouts'] },
  'manage-payments': { label: "Set the firm's account", roles: ['admin'] },
  'issue-certificates': { label: 'Upload certificates, and declare them invalid', roles: ['admin', 'support'] },
  'publish-programmes': { label: 'Draft and publish programmes, and set what is for sale', roles: ['admin'] },
  'enrol-traders': { label: 'Enrol traders in programmes', roles: ['admin', 'support'] },
  read: { label: 'See users, accounts, payouts, certificates, figures and the audit', roles: adminRoles },
  export: { label: 'Download lists, account histories and proofs', roles: ['admin', 'payouts', 'auditor'] },
  'see-staff': { label: 'See the members of staff', roles: ['admin', 'auditor'] },
  'manage-staff': { label: 'Issue, change, replace and revoke access keys, and keys of programs', roles: ['admin'] },
  'set-up-firm': { label: "Set the firm's name, colours and reply templates, and its checklist", roles: ['admin'] },
  operate: { label: 'Retry what could not be processed', roles: ['admin'] },
} as const satisfies Readonly<Record<string, DeclaredPermission>>

export type Permission = keyof typeof permissions

/** A call asks one of these of its caller. The list of subjects admits no other. */
export type KnownAccess = Permission | 'public' | 'trader' | 'trader-or-any-admin' | `program:${KeyScope}`

export function isPermission(access: Access): access is Permission {
  return Object.hasOwn(permissions, access)
}

/** Whether a role has a permission. */
export function mayRole(role: AdminRole, permission: Permission): boolean {
  const { roles }: DeclaredPermission = permissions[permission]
  return roles.includes(role)
}

const names = Object.keys(permissions).filter(isPermission)

/** The permissions of a role. */
export function permissionsOf(role: AdminRole): Permission[] {
  return names.filter((permission) => mayRole(role, permission))
}

/** The roles that have a permission, for the OpenAPI document. */
export function rolesWith(access: Access) {
  const roles = adminRoles.filter((role) => isPermission(access) && mayRole(role, access))
  return { roles, all: roles.length === adminRoles.length }
}
