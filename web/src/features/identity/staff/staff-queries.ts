import type { z } from 'zod'
import {
  type KeyReplacement,
  type NewStaffMember,
  type StaffMember,
  type StaffMemberChanges,
  staffRoutes,
} from '#services/identity/staff/staff-api.ts'
import { send, sendAndParse } from '@/api/api.ts'
import { routeQuery } from '@/api/route-query.ts'
import { staffChange } from '@/features/frame/staff-change.ts'

/** Members of staff and their access keys. */

export const staffQuery = routeQuery(staffRoutes.staff, { subjects: ['staff'] })

/** Adds a member. The key in the answer is shown once, and kept only while it is. */
export const addMember = {
  ...staffChange({
    send: (body: z.input<typeof NewStaffMember>) => sendAndParse(staffRoutes.addStaffMember, { body }),
    done: ({ name }) => ['Member added', `${name} can sign in with the key.`],
    failed: () => 'The member could not be added',
  }),
  gcTime: 0,
}

/** A member, and what a toast calls the person, as the list did. */
type MemberName = Pick<StaffMember, 'id' | 'name'>

export const changeMember = staffChange({
  send: ({ id, changes }: MemberName & { readonly changes: z.input<typeof StaffMemberChanges> }) =>
    send(staffRoutes.changeStaffMember, { params: { id }, body: changes }),
  done: ({ name }) => ['Member changed', `${name}: every session is ended.`],
  failed: () => 'The member could not be changed',
})

/** Replaces a member's key. The new key is kept only while it is shown. */
export const replaceKey = {
  ...staffChange({
    send: ({ id, name: _, ...body }: z.input<typeof KeyReplacement> & MemberName) =>
      sendAndParse(staffRoutes.replaceStaffKey, { params: { id }, body }),
    done: ({ name }) => ['Key replaced', `${name}: the key before no longer works.`],
    failed: () => 'The key could not be replaced',
  }),
  gcTime: 0,
}

/** Ends a member's access for good. */
export const revokeMember = staffChange({
  send: ({ id }: MemberName) => send(staffRoutes.revokeStaffMember, { params: { id } }),
  done: ({ name }) => ['Access revoked', `${name} is signed out for good.`],
  failed: () => 'The access could not be revoked',
})
