import { useQuery } from '@tanstack/react-query'
import { FRESH } from '../../query-client.ts'
import { adminAuthQuery } from '../session/session-queries.ts'

/** Why an auditor finds no way to change anything. */
export const AUDITOR_REASON = "An auditor's key changes nothing"

/** Whether whoever is signed in only looks. The server decides for itself; this spares people ways that it would refuse. */
export function useIsAuditor(): boolean {
  const { data } = useQuery({ ...adminAuthQuery, staleTime: FRESH.admin })
  return data?.isAdmin === true && data.role === 'auditor'
}

/** Tells an auditor why there is nothing to press. */
export function AuditorNotice() {
  if (!useIsAuditor()) return null
  return (
    <p role="note" className="mb-4 rounded-md border border-line bg-sunken px-4 py-2 text-13">
      You are signed in as an auditor: you see everything and change nothing.
    </p>
  )
}
