import { recordPart } from '#services/framework/shown-state.ts'
import type { UserId } from '#services/framework/ids.ts'
import { userResponse } from './user-answer.ts'
import { AuditUser } from './user-api.ts'
import type { User as UserState } from './user.ts'

const identity = { section: 'Identity' } as const

/** A person at a moment, as people read them. After a deletion personal fields read 'erased', at every moment. */
export const userPart = recordPart({
  schema: AuditUser,
  fields: {
    fullName: { label: 'Name', kind: 'text', ...identity },
    email: { label: 'Email', kind: 'text', ...identity },
    emailConfirmed: {
      label: 'Email address',
      kind: 'choice',
      words: { true: 'Confirmed', false: 'Not confirmed' },
      ...identity,
    },
    country: { label: 'Country', kind: 'country', ...identity },
    city: { label: 'City', kind: 'text', ...identity },
    street: { label: 'Street', kind: 'text', ...identity },
    houseNumber: { label: 'House Number', kind: 'text', ...identity },
    privacyPolicyAgreed: {
      label: 'Privacy policy',
      kind: 'choice',
      words: { true: 'Agreed', false: 'Not asked' },
      section: null,
    },
    banned: { label: 'Access', kind: 'choice', words: { true: 'Banned', false: 'Active' }, ...identity },
    banReason: { label: 'Ban Reason', kind: 'text', ...identity },
    createdAt: { label: 'Created', kind: 'time', ...identity },
    deleted: { label: 'User', kind: 'choice', words: { true: 'Deleted', false: 'Not deleted' }, section: null },
  },
  onlyInChanges: { mutedNotices: { label: 'Notices not mailed', kind: 'text' } },
  show: ({ id, user }: { readonly id: UserId; readonly user: UserState }) => ({
    ...userResponse(id, user),
    deleted: user.deleted,
  }),
})
