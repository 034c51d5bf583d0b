import { z } from 'zod'
import type { Decider } from '../../event-sourcing/decider.ts'
import { type EventOf, defineEvents, type AppendedEvent } from '../../event-sourcing/event-definitions.ts'
import { adminRoles } from '../vocabulary.ts'
import { Refused } from '../../event-sourcing/refusal.ts'

/** Access keys of administrators and auditors: labelled, revocable, each in a stream of its own (design: "Sessions"). */

export const adminRole = z.enum(adminRoles)

export const adminKeyEvents = defineEvents({
  /** `keyHash` is a keyed hash of the access key, hex. */
  AdminKeyIssued: { label: z.string(), role: adminRole, keyHash: z.string() },
  AdminKeyRevoked: {},
  AdminSignedIn: {},
  AdminSignInRefused: { why: z.enum(['unknown', 'revoked']) },
})

export type AdminKeyEvent = EventOf<typeof adminKeyEvents>
export type AdminRole = z.infer<typeof adminRole>

export interface AdminKey {
  readonly issued: { readonly label: string; readonly role: AdminRole; readonly keyHash: string; readonly at: number } | null
  readonly revoked: boolean
}

export const adminKeyDecider: Decider<AdminKey, AdminKeyEvent> = {
  initial: { issued: null, revoked: false },
  evolve(key: AdminKey, { type, data, at }: AppendedEvent<AdminKeyEvent>): AdminKey {
    switch (type) {
      case 'AdminKeyIssued':
        return { ...key, issued: { label: data.label, role: data.role, keyHash: data.keyHash, at } }
      case 'AdminKeyRevoked':
        return { ...key, revoked: true }
      case 'AdminSignedIn':
      case 'AdminSignInRefused':
        return key
    }
  },
}

/** Issues a key; the same key again changes nothing, also when it was revoked since. */
export function issueAdminKey(key: AdminKey, label: string, role: AdminRole, keyHash: string): AdminKeyEvent[] {
  if (label.trim() === '') throw new Refused('invalid', 'An admin key needs a label', 'label')
  return key.issued ? [] : [{ type: 'AdminKeyIssued', data: { label, role, keyHash } }]
}

export function revokeAdminKey(key: AdminKey): AdminKeyEvent[] {
  if (!key.issued) throw new Refused('not-found', 'There is no such admin key')
  return key.revoked ? [] : [{ type: 'AdminKeyRevoked', data: {} }]
}

/** Whether a presented key is accepted; a refusal is recorded as well (security checklist 16.3.1). */
export function signInAdmin(key: AdminKey, isItsHash: (hash: string) => boolean): AdminKeyEvent[] {
  if (!key.issued || !isItsHash(key.issued.keyHash)) return [{ type: 'AdminSignInRefused', data: { why: 'unknown' } }]
  return key.revoked ? [{ type: 'AdminSignInRefused', data: { why: 'revoked' } }] : [{ type: 'AdminSignedIn', data: {} }]
}
