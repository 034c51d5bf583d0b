import type { ReadModels } from '#services/event-sourcing/read-models/read-model-reader.ts'
import { mayRole } from '#services/identity/staff/permissions.ts'
import { type AdminRole, isExpired } from '../access-key.ts'
import { type AdminKeyDocument, adminKeys } from '../member-read-model.ts'

/** Two members approve what needs one of these permissions. */
export type DecidingPermission = 'decide-payouts' | 'decide-findings'

/** The status of an access key, which a member's stream and the read model of members both have. */
export interface AccessKeyStatus {
  readonly role: AdminRole
  /** In ms since 1970; null for never. */
  readonly expiresAt: number | null
  readonly isRevoked: boolean
}

/** Whether a member may decide at a moment, in ms since 1970; otherwise a first approval of theirs does not count. */
export function mayDecide(
  { role, expiresAt, isRevoked }: AccessKeyStatus,
  now: number,
  permission: DecidingPermission,
): boolean {
  return !isRevoked && !isExpired({ expiresAt }, now) && mayRole(role, permission)
}

/** Returns the members who may decide at this moment, in ms since 1970: the first approvals of others do not count. */
export async function approversAmong(
  readModels: Pick<ReadModels, 'getMany'>,
  members: readonly string[],
  now: number,
  permission: DecidingPermission,
): Promise<ReadonlySet<string>> {
  const found = await readModels.getMany(adminKeys, [...new Set(members)])
  const isActive = (member: AdminKeyDocument) =>
    mayDecide({ ...member, isRevoked: member.revokedAt !== null }, now, permission)
  return new Set([...found.values()].filter(isActive).map(({ id }) => id))
}
