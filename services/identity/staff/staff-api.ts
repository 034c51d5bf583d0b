import { adminKeyId } from '#services/framework/ids.ts'
import { component, described, namedObject } from '#services/framework/api/openapi-component.ts'
import { answer, conflict, del, get, patch, post, pathOf } from '#services/framework/api/route.ts'
import { INVALID, namedRequest, requiredText } from '#services/framework/api/text.ts'
import { adminRoles } from './staff-vocabulary.ts'
import { z } from 'zod'

export const AdminRole = component('AdminRole', z.enum(adminRoles, { error: INVALID }))
export type AdminRole = z.infer<typeof AdminRole>

/** Members of staff and their access keys. */

const time = z.iso.datetime()

/** A member in the list of /admin/staff. Never a key. */
export const StaffMember = namedObject('StaffMember', {
  id: z.string(),
  name: z.string(),
  role: AdminRole,
  since: time,
  /** The time when the key in use was issued. */
  keyIssuedAt: time,
  expiresAt: time.nullable(),
  revokedAt: time.nullable(),
  /** To the minute while a session is open, else the last sign-in. */
  lastUsedAt: time.nullable(),
})
export type StaffMember = z.infer<typeof StaffMember>

/** GET /api/admin/staff */
export const StaffList = namedObject('StaffList', {
  members: z.array(StaffMember),
  /** The permissions, with the roles that have them. */
  permissions: z.array(z.object({ name: z.string(), label: z.string(), roles: z.array(AdminRole) })),
})
export type StaffList = z.infer<typeof StaffList>

/** The name of a member. */
export const StaffName = requiredText(100)

const expiresAt = z.iso.datetime({ error: INVALID }).nullable()
const expiry = described('Expiry of the access key; null or left out for never', expiresAt.optional())

/** POST /api/admin/staff */
export const NewStaffMember = namedRequest('NewStaffMember', {
  name: StaffName,
  role: AdminRole,
  expiresAt: expiry,
})

/** PATCH /api/admin/staff/:id: an absent field is unchanged. */
export const StaffMemberChanges = namedRequest('StaffMemberChanges', {
  name: StaffName.optional(),
  role: AdminRole.optional(),
  expiresAt: described('Expiry of the access key; null for never', expiresAt.optional()),
})

/** POST /api/admin/staff/:id/key */
export const KeyReplacement = namedRequest('KeyReplacement', { expiresAt: expiry })

/** The answer with a new key: the only one that ever shows it. */
export const IssuedAccessKey = namedObject('IssuedAccessKey', {
  id: z.string(),
  /** Left out where the request was sent again: it was in the first answer, and is kept nowhere. */
  accessKey: z.string().optional(),
})
export type IssuedAccessKey = z.infer<typeof IssuedAccessKey>

const staffPath = pathOf("The member's id", adminKeyId, 'There is no such member of staff')

/** The calls about members of staff. */
export const staffRoutes = {
  staff: get('/api/admin/staff', 'see-staff', {
    summary: 'The members of staff, with their roles, and when their keys expire and were last used',
    position: 'waits',
    answer: answer('The members', StaffList),
  }),
  addStaffMember: post('/api/admin/staff', 'manage-staff', {
    summary: 'Add a member of staff, and show their access key, this once',
    body: NewStaffMember,
    answer: answer('The access key', IssuedAccessKey),
    status: 201,
  }),
  changeStaffMember: patch('/api/admin/staff/:id', 'manage-staff', {
    summary: "Change a member's name, role or expiry; absent fields are unchanged. Ends the member's sessions",
    params: staffPath,
    body: StaffMemberChanges,
    refuses: conflict,
  }),
  replaceStaffKey: post('/api/admin/staff/:id/key', 'manage-staff', {
    summary: "Replace a member's access key, and show the new one, this once. The key before and its sessions end",
    params: staffPath,
    body: KeyReplacement,
    answer: answer('The access key', IssuedAccessKey),
    refuses: conflict,
  }),
  revokeStaffMember: del('/api/admin/staff/:id', 'manage-staff', {
    summary: "Revoke a member's access for good, and end their sessions",
    params: staffPath,
    refuses: conflict,
  }),
}
