import { mayRole } from '#services/modules/subjects.ts'
import { type AdminRole, isExpired } from '#services/modules/staff/access-key.ts'

/** What a member's stream and the read model of members both say of an access key. */
export interface AccessKeyStatus {
  readonly role: AdminRole
  /** In ms since 1970; null for never. */
  readonly expiresAt: number | null
  readonly isRevoked: boolean
}

/**
 * Whether a member may decide payouts, or what else the permission is for, at a moment, in ms since 1970; otherwise a
 * first approval of theirs does not count.
 */
export function mayDecidePayouts(
  { role, expiresAt, isRevoked }: AccessKeyStatus,
  now: number,
  permission: 'decide-payouts' | 'decide-findings' = 'decide-payouts',
): boolean {
  return !isRevoked && !isExpired({ expiresAt }, now) && mayRole(role, permission)
}
