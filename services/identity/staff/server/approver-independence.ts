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

/** How long two keys that a third member issued make one person of their holders, at least; in ms. */
const HELPER_TIME = 30 * 24 * 3_600_000

/** What two members decide together. */
export interface JointDecision {
  /** When what they decide on began: at the request, not when one of the two took it up. In ms since 1970. */
  readonly began: number
  /** In ms since 1970. */
  readonly now: number
}

/**
 * Four eyes are two people's (docs/operate.md, "Two approvals"): refuses two members of whom one ever issued or replaced
 * a key of the other or changed the other's role, directly or through helpers. Who issues a key has it in hand, and no
 * moment that one of them chooses makes that good. Keys that a third member gave to both count since what they decide on
 * began, and for 30 days. The command line is trusted.
 *
 * @throws {Refused} conflict
 */
export async function assertIndependent(
  adminKeys: AdminKeys,
  first: AdminKeyId,
  second: AdminKeyId,
  { began, now }: JointDecision,
): Promise<void> {
  const grants = new Map<AdminKeyId, readonly Grant[]>()
  for (const member of [first, second]) await readGrants(adminKeys, member, grants)
  const since = Math.min(began, now - HELPER_TIME)
  const ofFirst = holdersOf(first, since, grants)
  const areTied = holdersOf(first, 0, grants).has(second) || holdersOf(second, 0, grants).has(first)
  if (!areTied && [...holdersOf(second, since, grants)].every((member) => !ofFirst.has(member))) return
  throw new Refused(
    'conflict',
    'One of the two members got an access key or a role from the other, or both got one from the same member of staff within 30 days or since the request. Another member has to give the second approval.',
  )
}

/** A member of staff gave another an access key or a role. */
interface Grant {
  readonly by: AdminKeyId
  /** In ms since 1970. */
  readonly at: number
}

/** Reads who gave the member keys and roles, and who gave them to these. */
async function readGrants(adminKeys: AdminKeys, member: AdminKeyId, found: Map<AdminKeyId, readonly Grant[]>) {
  if (found.has(member)) return
  const grants: Grant[] = []
  found.set(member, grants)
  for await (const event of adminKeys.readEvents(member)) {
    const { actor } = event.metadata
    if (actor.kind === 'admin' && isGrant(event)) grants.push({ by: adminKeyId.parse(actor.id), at: event.at })
  }
  for (const { by } of grants) await readGrants(adminKeys, by, found)
}

function isGrant(event: AdminKeyEvent): boolean {
  switch (event.type) {
    case 'AdminKeyIssued':
    case 'AdminKeyReplaced':
      return true
    case 'AdminKeyChanged':
      return event.data.from.role !== event.data.to.role
    default:
      return false
  }
}

/** The member, and all who gave the member a key or a role since a moment, or one to these. */
function holdersOf(
  member: AdminKeyId,
  since: number,
  grants: ReadonlyMap<AdminKeyId, readonly Grant[]>,
  found = new Set<AdminKeyId>(),
): ReadonlySet<AdminKeyId> {
  if (found.has(member)) return found
  found.add(member)
  for (const { by, at } of grants.get(member) ?? []) if (at >= since) holdersOf(by, since, grants, found)
  return found
}
