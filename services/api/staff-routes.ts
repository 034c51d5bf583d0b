import { z } from 'zod'
import * as staff from '#services/modules/staff/staff-api.ts'
import { described } from './openapi-component.ts'
import { answer, conflict, del, get, patch, post } from './route.ts'

const staffPath = z.object({ id: described("The member's id", z.string()) })

/** The calls about members of staff. */
export const staffRoutes = {
  staff: get('/api/admin/staff', 'see-staff', {
    summary: 'The members of staff, with their roles, and when their keys expire and were last used',
    position: 'waits',
    answer: answer('The members', staff.StaffList),
  }),
  addStaffMember: post('/api/admin/staff', 'manage-staff', {
    summary: 'Add a member of staff, and show their access key, this once',
    body: staff.NewStaffMember,
    answer: answer('The access key', staff.IssuedAccessKey),
    status: 201,
  }),
  changeStaffMember: patch('/api/admin/staff/:id', 'manage-staff', {
    summary: "Change a member's name, role or expiry; absent fields are unchanged. Ends the member's sessions",
    params: staffPath,
    body: staff.StaffMemberChanges,
    refuses: conflict,
  }),
  replaceStaffKey: post('/api/admin/staff/:id/key', 'manage-staff', {
    summary: "Replace a member's access key, and show the new one, this once. The key before and its sessions end",
    params: staffPath,
    body: staff.KeyReplacement,
    answer: answer('The access key', staff.IssuedAccessKey),
    refuses: conflict,
  }),
  revokeStaffMember: del('/api/admin/staff/:id', 'manage-staff', {
    summary: "Revoke a member's access for good, and end their sessions",
    params: staffPath,
    refuses: conflict,
  }),
}
