import type { AdminKey, AdminKeyEvent } from '../access-key.ts'
import { type AdminKeyId, adminKeyId } from '#services/framework/ids.ts'
import type { AggregateRepository } from '#services/event-sourcing/aggregate-repository.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import { type DecidingPermission, mayDecide } from './payout-approver.ts'

type AdminKeys = Pick<AggregateRepository<AdminKey, AdminKeyEvent>, 'readEvents'>

/** Whether the member of a first approval may decide at this moment, ms since 1970; otherwise it does not count. */
export async function mayStillApprove(
  adminKeys: Pick<AggregateRepository<AdminKey, AdminKeyEvent>, 'load'>,
  member: AdminKeyId,
  now: number,
  permission: DecidingPermission,
) {
  const { issued, revoked } = (await adminKeys.load(member)).state
  return issued !== null && mayDecide({ ...issued, isRevoked: revoked }, now, permission)
}

/**
 * Two approvals are two people's: refuses approvers of whom one may hold the other's access key, or a third member
 * both. Who issues a key has it in hand. Keys issued before the payout was requested, and at the command line, are
 * trusted.
 *
 * @param since When the payout was requested, ms since 1970.
 * @param began What began then.
 * @throws {Refused} conflict
 */
export async function assertIndependent(
  adminKeys: AdminKeys,
  first: AdminKeyId,
  second: AdminKeyId,
  since: number,
  began = 'this payout was requested',
): Promise<void> {
  const [ofFirst, ofSecond] = [await keyHolders(adminKeys, first, since), await keyHolders(adminKeys, second, since)]
  if ([...ofFirst].every((member) => !ofSecond.has(member))) return
  throw new Refused(
    'conflict',
    `Since ${began}, one of the two approvers got an access key from the other, or both from the same member of staff. Another member has to give the second approval.`,
  )
}

/** The member, and all who issued the member a key since then, or a key to one of these. */
async function keyHolders(
  adminKeys: AdminKeys,
  member: AdminKeyId,
  since: number,
  found = new Set<string>(),
): Promise<ReadonlySet<string>> {
  if (found.has(member)) return found
  found.add(member)
  for await (const { type, at, metadata } of adminKeys.readEvents(member)) {
    const { actor } = metadata
    const isNewKey = type === 'AdminKeyIssued' || type === 'AdminKeyReplaced'
    if (isNewKey && at >= since && actor.kind === 'admin')
      await keyHolders(adminKeys, adminKeyId.parse(actor.id), since, found)
  }
  return found
}
