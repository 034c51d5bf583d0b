import { useQuery } from '@tanstack/react-query'
import { adminRoleQuery } from '../session/session-queries.ts'

/** Why actions are disabled for an auditor. */
export const AUDITOR_REASON = "An auditor's key is read-only"

/** Whether the signed-in key is an auditor's. The server checks for itself; this hides what it would refuse. */
export function useIsAuditor(): boolean {
  const { data } = useQuery(adminRoleQuery)
  return data?.isAdmin === true && data.role === 'auditor'
}

/** Tells an auditor why the page offers no actions. */
export function AuditorNotice() {
  if (!useIsAuditor()) return null
  return (
    <p role="note" className="mb-4 rounded-md border border-line bg-sunken px-4 py-2 text-13">
      You are signed in as an auditor: you can see everything and change nothing.
    </p>
  )
}
