import { z } from 'zod'
import { described, namedObject } from '#services/api/openapi-component.ts'
import { AdminRole } from '#services/modules/sign-in/sign-in-api.ts'
import { INVALID, namedRequest, requiredText } from '#services/api/text.ts'

/** Members of staff and their access keys. */

const time = z.iso.datetime()

/** A member in the list of /admin/staff. Never a key. */
export const StaffMember = namedObject('StaffMember', {
  id: z.string(),
  name: z.string(),
  role: AdminRole,
  since: time,
  /** Of the key in use. */
  keyIssuedAt: time,
  expiresAt: time.nullable(),
  revokedAt: time.nullable(),
  /** To the minute while a session is open, else the last sign-in. */
  lastUsedAt: time.nullable(),
})
export type StaffMember = z.infer<typeof StaffMember>

/** GET /api/admin/staff */
export const StaffList = namedObject('StaffList', { members: z.array(StaffMember) })

const LONGEST_NAME = 100

const expiresAt = z.iso.datetime({ error: INVALID }).nullable()
const expiry = described('When the access key expires; null or left out for never', expiresAt.optional())

/** POST /api/admin/staff */
export const NewStaffMember = namedRequest('NewStaffMember', {
  name: requiredText(LONGEST_NAME),
  role: AdminRole,
  expiresAt: expiry,
})

/** PATCH /api/admin/staff/:id: an absent field is unchanged. */
export const StaffMemberChanges = namedRequest('StaffMemberChanges', {
  name: requiredText(LONGEST_NAME).optional(),
  role: AdminRole.optional(),
  expiresAt: described('When the access key expires; null for never', expiresAt.optional()),
})

/** POST /api/admin/staff/:id/key */
export const KeyReplacement = namedRequest('KeyReplacement', { expiresAt: expiry })

/** The answer with a new key: the only one that ever shows it. */
export const IssuedAccessKey = namedObject('IssuedAccessKey', { id: z.string(), accessKey: z.string() })
export type IssuedAccessKey = z.infer<typeof IssuedAccessKey>
