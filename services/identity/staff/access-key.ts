import { aggregate } from '#services/event-sourcing/aggregate-type.ts'
import { z } from 'zod'
import { type Decider, fold } from '#services/event-sourcing/decider.ts'
import { type EventOf, defineEvents, type AppendedEvent } from '#services/event-sourcing/event-definitions.ts'
import { type AdminKeyId, adminKeyId } from '#services/framework/ids.ts'
import { adminRoles, downloadedLists } from './staff-vocabulary.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'

/**
 * Members of staff and their access keys (design: "Sessions"). A member's stream is named after the member's first key;
 * the stream of a later key only names its member.
 */

export const adminRole = z.enum(adminRoles)

/** Until when a key is valid, ms since 1970; null for ever. */
const expiresAt = z.int().nullable()

const access = z.object({ label: z.string(), role: adminRole, expiresAt })

/** A change of a member's access; a field left out stays. */
export const memberChanges = access.partial()
export type MemberChanges = z.infer<typeof memberChanges>

/** A key in place of the one before. */
export const newKey = z.object({ keyId: adminKeyId, keyHash: z.string(), expiresAt })

/** A change of a member's access: changes or a new key. With neither, it is revoked. */
export interface AccessChange {
  readonly changes: MemberChanges | null
  readonly newKey: z.infer<typeof newKey> | null
}

export const adminKeyEvents = defineEvents({
  /** `label` is the member's name, `keyHash` a keyed hash of the access key, hex. */
  AdminKeyIssued: { label: z.string(), role: adminRole, keyHash: z.string(), expiresAt },
  AdminKeyRevoked: {},
  AdminKeyChanged: { from: access, to: access },
  /** The member has a new key: the one before opens nothing any more. */
  AdminKeyReplaced: newKey.shape,
  /** The only event of a later key's stream. */
  AdminKeyAssigned: { member: adminKeyId },
  AdminSignedIn: {},
  AdminSignInRefused: { why: z.enum(['unknown', 'revoked', 'expired']) },
  /** The search text is left out: it may be a person's name. */
  ListDownloaded: { list: z.enum(downloadedLists), status: z.string().nullable(), searched: z.boolean() },
})

export type AdminKeyEvent = EventOf<typeof adminKeyEvents>
export type AdminRole = z.infer<typeof adminRole>
/** A member's name and role, and the end of their access. */
export type MemberAccess = z.infer<typeof access>

export interface AdminKey {
  readonly issued: (MemberAccess & { readonly keyHash: string; readonly at: number }) | null
  readonly revoked: boolean
  /** When the last change of access ended every session, ms since 1970. */
  readonly sessionsEndedAt: number
  /** The revision since which the member is an administrator whose key does not expire; null for everyone else. */
  readonly lastingSince: number | null
  /** The hashes of the member's keys before. */
  readonly replacedHashes: readonly string[]
  /** The member whose later key this is; null for a member's first key. */
  readonly member: AdminKeyId | null
}

export const adminKeyDecider: Decider<AdminKey, AdminKeyEvent> = {
  initial: { issued: null, revoked: false, sessionsEndedAt: 0, lastingSince: null, replacedHashes: [], member: null },
  evolve(key: AdminKey, event: AppendedEvent<AdminKeyEvent>): AdminKey {
    const next = withEvent(key, event)
    const { issued, revoked } = next
    const lasts = issued !== null && !revoked && issued.role === 'admin' && issued.expiresAt === null
    return { ...next, lastingSince: lasts ? (key.lastingSince ?? event.revision) : null }
  },
}

function withEvent(key: AdminKey, { type, data, at }: AppendedEvent<AdminKeyEvent>): AdminKey {
  switch (type) {
    case 'AdminKeyIssued':
      return { ...key, issued: { ...data, at } }
    case 'AdminKeyRevoked':
      return { ...key, revoked: true, sessionsEndedAt: at }
    case 'AdminKeyChanged':
      return { ...key, issued: key.issued && { ...key.issued, ...data.to }, sessionsEndedAt: at }
    case 'AdminKeyReplaced': {
      if (!key.issued) return key
      const { keyHash, expiresAt } = data
      return {
        ...key,
        replacedHashes: [...key.replacedHashes, key.issued.keyHash],
        issued: { ...key.issued, keyHash, expiresAt, at },
        sessionsEndedAt: at,
      }
    }
    case 'AdminKeyAssigned':
      return { ...key, member: data.member }
    case 'AdminSignedIn':
    case 'AdminSignInRefused':
    case 'ListDownloaded':
      return key
  }
}

/** Issues a member's first key; the same key again changes nothing, also when it was revoked since. */
export function issueAdminKey(
  key: AdminKey,
  label: string,
  role: AdminRole,
  keyHash: string,
  expires: number | null = null,
): AdminKeyEvent[] {
  if (label.trim() === '') throw new Refused('invalid', 'An admin key needs a label', 'label')
  return key.issued || key.member
    ? []
    : [{ type: 'AdminKeyIssued', data: { label, role, keyHash, expiresAt: expires } }]
}

export function revokeAdminKey(key: AdminKey): AdminKeyEvent[] {
  if (!key.issued) throw new Refused('not-found', 'There is no such admin key')
  return key.revoked ? [] : [{ type: 'AdminKeyRevoked', data: {} }]
}

/** Changes a member's name, role or expiry. */
export function changeMember(key: AdminKey, changes: MemberChanges): AdminKeyEvent[] {
  const { label, role, expiresAt: expires } = activeMember(key)
  const from = { label, role, expiresAt: expires }
  const to = {
    label: changes.label ?? label,
    role: changes.role ?? role,
    expiresAt: changes.expiresAt === undefined ? expires : changes.expiresAt,
  }
  if (to.label.trim() === '') throw new Refused('invalid', 'A member of staff needs a name', 'name')
  const same = to.label === label && to.role === role && to.expiresAt === expires
  return same ? [] : [{ type: 'AdminKeyChanged', data: { from, to } }]
}

/** Gives a member a new key in place of the one before. A key that the member has, or had, changes nothing. */
export function replaceKey(key: AdminKey, replacement: z.infer<typeof newKey>): AdminKeyEvent[] {
  const { keyHash } = activeMember(key)
  const isKnown = [keyHash, ...key.replacedHashes].includes(replacement.keyHash)
  return isKnown ? [] : [{ type: 'AdminKeyReplaced', data: replacement }]
}

/** Changes a member's access. @throws {Refused} not-found, conflict, invalid */
export function changeAccess(key: AdminKey, { changes, newKey: replacement }: AccessChange): AdminKeyEvent[] {
  if (replacement) return replaceKey(key, replacement)
  return changes ? changeMember(key, changes) : revokeAdminKey(key)
}

/**
 * The `lastingSince` that a change ends: afterwards the member is no administrator whose key does not expire. Null when
 * it ends none.
 *
 * @throws {Refused} what the change is refused for
 */
export function lastingSinceEndedBy(key: AdminKey, change: AccessChange): number | null {
  const events = changeAccess(key, change).map((event) => ({ ...event, at: 0, revision: 0 }))
  return fold(adminKeyDecider, events, key).lastingSince === null ? key.lastingSince : null
}

/** Names the member whom a later key belongs to. */
export function assignKey(key: AdminKey, member: AdminKeyId): AdminKeyEvent[] {
  return key.member ? [] : [{ type: 'AdminKeyAssigned', data: { member } }]
}

/** Whether a presented key is accepted; a refusal is recorded as well (security checklist 16.3.1). */
export function signInAdmin(key: AdminKey, isItsHash: (hash: string) => boolean, now: number): AdminKeyEvent[] {
  const refused = (why: 'unknown' | 'revoked' | 'expired'): AdminKeyEvent[] => [
    { type: 'AdminSignInRefused', data: { why } },
  ]
  if (key.issued && key.replacedHashes.some(isItsHash)) return refused('revoked')
  if (!key.issued || !isItsHash(key.issued.keyHash)) return refused('unknown')
  if (key.revoked) return refused('revoked')
  return isExpired(key.issued, now) ? refused('expired') : [{ type: 'AdminSignedIn', data: {} }]
}

export function isExpired({ expiresAt: expires }: Pick<MemberAccess, 'expiresAt'>, now: number): boolean {
  return expires !== null && expires <= now
}

/** Records that a member downloaded a list. */
export function downloadList(
  key: AdminKey,
  download: Extract<AdminKeyEvent, { type: 'ListDownloaded' }>['data'],
): AdminKeyEvent[] {
  activeMember(key)
  return [{ type: 'ListDownloaded', data: download }]
}

function activeMember(key: AdminKey): NonNullable<AdminKey['issued']> {
  if (!key.issued) throw new Refused('not-found', 'There is no such member of staff')
  if (key.revoked) throw new Refused('conflict', 'The access of this member is revoked')
  return key.issued
}

export const adminKeyStreams = aggregate('admin', adminKeyDecider, adminKeyEvents, null)
