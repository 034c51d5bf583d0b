import type { Position } from '#infra/event-store/event-store.ts'
import type { AdminKeyId } from '#services/framework/ids.ts'
import {
  type AccessChange,
  type AdminKey,
  assignKey,
  changeAccess,
  lastingSinceEndedBy,
  adminKeyStreams,
} from '../access-key.ts'
import {
  ADMINISTRATORS_ID,
  joinAdministrators,
  leaveAdministrators,
  type Removal,
  administrators,
} from '../administrators.ts'
import type { DecisionResult, Repositories } from '#services/event-sourcing/aggregate-repository.ts'
import type { DomainEvent } from '#services/event-sourcing/event-definitions.ts'
import type { Context } from '#services/event-sourcing/codec/metadata.ts'

/**
 * Changes of a member's access, in the member's stream and in that of the administrators
 * (docs/decisions/027-members-of-staff.md).
 */

/** Adds a member to the administrators, if they are one whose key does not expire. Repeating it changes nothing. */
export async function joinIfLasting(
  repositories: Repositories,
  member: AdminKeyId,
  { lastingSince }: AdminKey,
  context: Context,
): Promise<void> {
  if (lastingSince === null) return
  await repositories
    .of(administrators)
    .decide(ADMINISTRATORS_ID, context, (all) => joinAdministrators(all, member, lastingSince))
}

/**
 * Changes a member's access. What takes an administrator away is decided in the administrators' stream first, where the
 * log accepts one of several removals at once; the policies complete it after a crash in between.
 *
 * @param mustRemain Whether it is refused when no administrator would remain whose key does not expire.
 * @returns `isChanged` is false when nothing differs.
 * @throws {Refused} not-found, conflict, invalid
 */
export async function changeMemberAccess(
  repositories: Repositories,
  member: AdminKeyId,
  change: AccessChange,
  context: Context,
  mustRemain: boolean,
): Promise<{ readonly position: Position; readonly isChanged: boolean }> {
  const members = repositories.of(adminKeyStreams)
  for (;;) {
    const ended = lastingSinceEndedBy((await members.load(member)).state, change)
    const removal =
      ended === null ? undefined : await leave(repositories, { ...change, member, since: ended }, context, mustRemain)
    const cause = removal ? causedByDecision(removal, context) : context
    await assignNewKey(repositories, member, change, cause)
    const result = await members.decide(member, cause, (key) => {
      const ends = lastingSinceEndedBy(key, change)
      return ends === null || ends === ended ? changeAccess(key, change) : []
    })
    // Another request made the member an administrator meanwhile: their removal has to be decided, too.
    if (lastingSinceEndedBy(result.state, change) !== null) continue
    await joinIfLasting(repositories, member, result.state, causedByDecision(result, context))
    // After a removal the policy may have been faster.
    return { position: result.position, isChanged: result.events.length > 0 || removal !== undefined }
  }
}

/**
 * Completes a removal in the member's stream, unless that is done. A member who is an administrator again remains one.
 */
export async function completeRemoval(
  repositories: Repositories,
  { member, since, ...change }: Removal,
  context: Context,
): Promise<void> {
  const members = repositories.of(adminKeyStreams)
  if ((await members.load(member)).state.lastingSince !== since) return
  await assignNewKey(repositories, member, change, context)
  await members.decide(member, context, (key) => (key.lastingSince === since ? changeAccess(key, change) : []))
}

function leave(repositories: Repositories, removal: Removal, context: Context, mustRemain: boolean) {
  return repositories
    .of(administrators)
    .decide(ADMINISTRATORS_ID, context, (all) => leaveAdministrators(all, removal, mustRemain))
}

/** Before the member knows the new key: a key whose member does not know it opens nothing. */
async function assignNewKey(
  repositories: Repositories,
  member: AdminKeyId,
  { newKey }: AccessChange,
  context: Context,
): Promise<void> {
  if (newKey) await repositories.of(adminKeyStreams).decide(newKey.keyId, context, (key) => assignKey(key, member))
}

/** The context of what follows from a decision: its first event is the cause. */
export function causedByDecision(
  { events }: Pick<DecisionResult<unknown, DomainEvent>, 'events'>,
  context: Context,
): Context {
  return { ...context, causationId: events[0]?.id ?? context.causationId }
}
