import { aggregate } from '#services/event-sourcing/aggregate-type.ts'
import { z } from 'zod'
import { type AdminKeyId, adminKeyId } from '#services/framework/ids.ts'
import type { Decider } from '#services/event-sourcing/decider.ts'
import { type AppendedEvent, defineEvents, type EventOf } from '#services/event-sourcing/event-definitions.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import { type AccessChange, memberChanges, newKey } from './access-key.ts'

/**
 * The administrators whose keys do not expire, one of whom must remain (docs/decisions/027-members-of-staff.md). A
 * member joins after the event in their own stream, and leaves before it: everyone listed here can sign in.
 */

/** `lastingSince` of the member's stream: it tells apart the times when a member is such an administrator. */
const since = z.int()

export const administratorsEvents = defineEvents({
  AdministratorJoined: { member: adminKeyId, since },
  /** This decision is appended to the member's stream next. */
  AdministratorLeft: { member: adminKeyId, since, changes: memberChanges.nullable(), newKey: newKey.nullable() },
})

/** A log has one list of administrators. */
export const ADMINISTRATORS_ID = 'this'

export type AdministratorsEvent = EventOf<typeof administratorsEvents>

export interface Administrators {
  /** Since when the members are administrators whose keys do not expire. */
  readonly present: ReadonlyMap<AdminKeyId, number>
  /** The newest `since` with which a member left. */
  readonly left: ReadonlyMap<AdminKeyId, number>
}

export const administratorsDecider: Decider<Administrators, AdministratorsEvent> = {
  initial: { present: new Map(), left: new Map() },
  evolve(
    { present, left }: Administrators,
    { type, data: { member, since } }: AppendedEvent<AdministratorsEvent>,
  ): Administrators {
    switch (type) {
      case 'AdministratorJoined':
        return { present: new Map(present).set(member, since), left }
      case 'AdministratorLeft':
        return {
          present: new Map([...present].filter(([id]) => id !== member)),
          left: new Map(left).set(member, since),
        }
    }
  },
}

/** Adds a member, once. One whose removal is decided is not added again. */
export function joinAdministrators(
  { present, left }: Administrators,
  member: AdminKeyId,
  since: number,
): AdministratorsEvent[] {
  const known = Math.max(present.get(member) ?? -1, left.get(member) ?? -1)
  return known >= since ? [] : [{ type: 'AdministratorJoined', data: { member, since } }]
}

/** Who is removed, by which change of their access. */
export interface Removal extends AccessChange {
  readonly member: AdminKeyId
  readonly since: number
}

/**
 * Removes a member, once.
 *
 * @param mustRemain Whether another administrator must remain.
 * @throws {Refused} conflict when none would.
 */
export function leaveAdministrators(
  { present, left }: Administrators,
  removal: Removal,
  mustRemain: boolean,
): AdministratorsEvent[] {
  const { member, since, changes, newKey } = removal
  if ((left.get(member) ?? -1) >= since) return []
  if (mustRemain && ![...present.keys()].some((other) => other !== member))
    throw new Refused(
      'conflict',
      'This is the last administrator whose key does not expire. Give another administrator such a key first.',
    )
  return [{ type: 'AdministratorLeft', data: { member, since, changes, newKey } }]
}

/** A log has one list of the administrators of whom one must remain. */
export const administrators = aggregate('administrators', administratorsDecider, administratorsEvents, null)
