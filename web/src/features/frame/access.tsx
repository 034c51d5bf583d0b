import { useQuery } from '@tanstack/react-query'
import type { Permission } from '#services/identity/staff/permissions.ts'
import type { SignedInAdmin } from '#services/identity/sign-in/sign-in-api.ts'
import { adminRoleLabels } from '#services/identity/staff/staff-vocabulary.ts'
import { adminRoleQuery } from './session-queries.ts'

/** Why actions are disabled. */
export const NOT_ALLOWED = 'Your role does not allow changes here'

/**
 * Whether the signed-in member of staff has a permission. It only hides what the server refuses, and nothing until the
 * role is read.
 */
export function usePermissions(): (permission: Permission) => boolean {
  const { data: auth } = useQuery(adminRoleQuery)
  return (permission) => auth?.isAdmin !== true || auth.permissions.includes(permission)
}

/** The same for one permission. */
export function useMay(permission: Permission): boolean {
  return usePermissions()(permission)
}

/** The member of staff who is signed in; undefined while that is being read. */
export function useMember(): SignedInAdmin | undefined {
  const { data } = useQuery(adminRoleQuery)
  return data?.isAdmin ? data : undefined
}

/** Says why the page offers fewer actions than an administrator's. */
export function RoleNotice() {
  const role = useMember()?.role
  if (role === undefined || role === 'admin') return null
  return (
    <p role="note" className="mb-4 rounded-md border border-line bg-sunken px-4 py-2 text-13">
      {role === 'auditor'
        ? 'You are signed in as an auditor: you can see everything and change nothing.'
        : `Your role is ${adminRoleLabels[role]}: actions that it does not allow are left out.`}
    </p>
  )
}
