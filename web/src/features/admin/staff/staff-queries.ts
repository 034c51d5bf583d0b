import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import type { z } from 'zod'
import type { KeyReplacement, NewStaffMember, StaffMember, StaffMemberChanges } from '../../../../../services/api/staff-schemas.ts'
import { send, sendAndParse } from '../../../api/api.ts'
import { FRESH, readQuery } from '../../../query-client.ts'
import { adminChange } from '../admin-change.ts'

/** Members of staff and their access keys. */

const schemas = () => import('../../../../../services/api/staff-schemas.ts')
const loadIssued = () => schemas().then(({ IssuedAccessKey }) => IssuedAccessKey)

export const staffQuery = readQuery(['admin', 'staff'], '/api/admin/staff', () => schemas().then(({ StaffList }) => StaffList), { staleTime: FRESH.admin })

const addressOf = (id: string) => `/api/admin/staff/${encodeURIComponent(id)}`

/** Adds a member. The key in the answer is shown once, and kept only while it is. */
export function useAddMember() {
  return useMutation({
    ...adminChange(useQueryClient(), {
      send: (member: z.input<typeof NewStaffMember>) => sendAndParse('POST', '/api/admin/staff', member, loadIssued),
      done: ({ name }) => ['Member added', `${name} can sign in with the key.`],
      failed: () => 'The member could not be added',
      refreshes: ['staff'],
    }),
    gcTime: 0,
  })
}

interface MemberChange {
  readonly id: string
  /** What the toast calls the member, as the list did. */
  readonly name: string
  readonly changes: z.input<typeof StaffMemberChanges>
}

export function useChangeMember() {
  return useMutation(
    adminChange(useQueryClient(), {
      send: ({ id, changes }: MemberChange) => send('PATCH', addressOf(id), changes),
      done: ({ name }) => ['Member changed', `${name}: every session is ended.`],
      failed: () => 'The member could not be changed',
      refreshes: ['staff'],
    }),
  )
}

export function useReplaceKey() {
  return useMutation({
    ...adminChange(useQueryClient(), {
      send: ({ id, name: _, ...replacement }: z.input<typeof KeyReplacement> & Pick<StaffMember, 'id' | 'name'>) =>
        sendAndParse('POST', `${addressOf(id)}/key`, replacement, loadIssued),
      done: ({ name }) => ['Key replaced', `${name}: the key before no longer works.`],
      failed: () => 'The key could not be replaced',
      refreshes: ['staff'],
    }),
    gcTime: 0,
  })
}

export const revocation = (client: QueryClient) =>
  adminChange(client, {
    send: ({ id }: Pick<StaffMember, 'id' | 'name'>) => send('DELETE', addressOf(id)),
    done: ({ name }) => ['Access revoked', `${name} is signed out for good.`],
    failed: () => 'The access could not be revoked',
    refreshes: ['staff'],
  })
