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

/** One document an access key. Refused sign-ins are no part of it: many name no key that there is. */
export const adminKeys = defineProjection({
  name: 'admin-keys',
  version: 1,
  document,
  documentId: (fact) => parseStreamName(fact.stream).id,
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
