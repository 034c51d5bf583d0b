import type { ReadModels } from '#services/event-sourcing/read-models/read-model-reader.ts'
import { mayRole } from '#services/identity/staff/permissions.ts'
import { type AdminRole, isExpired } from '../access-key.ts'
import { type AdminKeyDocument, adminKeys } from '../member-read-model.ts'

/** What two members have to approve. */
export type DecidingPermission = 'decide-payouts' | 'decide-findings'

/** What a member's stream and the read model of members both say of an access key. */
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

/** Those of these members who may decide at this moment, in ms since 1970: the first approvals of others do not count. */
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
