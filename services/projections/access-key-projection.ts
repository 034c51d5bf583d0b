import { z } from 'zod'
import { adminRole } from '../domain/staff/access-key.ts'
import { parseStreamName } from '../domain/streams.ts'
import { defineProjection } from './define-projection.ts'
import { updateExisting } from '../event-sourcing/projections/projection.ts'

const document = z.object({
  id: z.string(),
  label: z.string(),
  role: adminRole,
  issuedAt: z.int(),
  revokedAt: z.int().nullable(),
  lastSignInAt: z.int().nullable(),
})

export type AdminKeyDocument = z.infer<typeof document>

/** One document per access key. It ignores refused sign-ins: many name a key that does not exist. */
export const adminKeys = defineProjection({
  name: 'admin-keys',
  version: 1,
  document,
  documentId: (event) => parseStreamName(event.stream).id,
  on: {
    AdminKeyIssued: (_, { stream, data: { label, role }, at }): AdminKeyDocument => ({
      id: parseStreamName(stream).id,
      label,
      role,
      issuedAt: at,
      revokedAt: null,
      lastSignInAt: null,
    }),
    AdminKeyRevoked: updateExisting((key, { at }) => ({ ...key, revokedAt: at })),
    AdminSignedIn: updateExisting((key, { at }) => ({ ...key, lastSignInAt: at })),
  },
})
