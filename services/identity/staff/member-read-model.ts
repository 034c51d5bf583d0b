import { z } from 'zod'
import { adminRole, adminKeyEvents } from './access-key.ts'
import { parseStreamName } from '#services/event-sourcing/aggregate-type.ts'
import { updateExisting, projection } from '#services/event-sourcing/read-models/projection.ts'

const document = z.object({
  id: z.string(),
  label: z.string(),
  role: adminRole,
  issuedAt: z.int(),
  /** The time when the key in use was issued. */
  keyIssuedAt: z.int(),
  expiresAt: z.int().nullable(),
  revokedAt: z.int().nullable(),
  lastSignInAt: z.int().nullable(),
})

export type AdminKeyDocument = z.infer<typeof document>

/**
 * One document per member of staff: their name, and the access key in use. It ignores refused sign-ins: many name a key
 * that does not exist.
 */
export const adminKeys = projection(adminKeyEvents, {
  name: 'admin-keys',
  version: 2,
  document,
  documentId: (event) => parseStreamName(event.stream).id,
  on: {
    AdminKeyIssued: (_, { stream, data: { label, role, expiresAt }, at }): AdminKeyDocument => ({
      id: parseStreamName(stream).id,
      label,
      role,
      issuedAt: at,
      keyIssuedAt: at,
      expiresAt,
      revokedAt: null,
      lastSignInAt: null,
    }),
    AdminKeyChanged: updateExisting((key, { data: { to } }) => ({ ...key, ...to })),
    AdminKeyReplaced: updateExisting((key, { at, data: { expiresAt } }) => ({ ...key, keyIssuedAt: at, expiresAt })),
    AdminKeyRevoked: updateExisting((key, { at }) => ({ ...key, revokedAt: at })),
    AdminSignedIn: updateExisting((key, { at }) => ({ ...key, lastSignInAt: at })),
  },
})
