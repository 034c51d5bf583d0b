import { z } from 'zod'
import { accountShape, AccountStamps, AccountStatus } from '#services/modules/accounts/account-api.ts'
import { component, described, namedObject } from '#services/api/openapi-component.ts'
import { flag, page, parameter } from '#services/api/pagination-schemas.ts'
import { ProfileChanges, User } from '#services/modules/sign-in/sign-in-api.ts'
import { Stamp } from '#services/api/stamp-schemas.ts'
import { addressLines, email, fullName, INVALID, LONGEST_NOTE, LONGEST_TEXT, missingOrInvalid, namedRequest, request, text, trimmedText } from '#services/api/text.ts'
import { userOrders } from '#services/api/vocabulary.ts'

/** Users as administrators see and change them (specification §5, §7). */

/** POST /api/admin/users: the user sets a password by a mailed link. */
export const NewUser = namedRequest('NewUser', {
  fullName: fullName(),
  email: email('Please enter a valid email'),
  ...addressLines((longest) => trimmedText(longest).default('')),
})

/** PATCH /api/admin/user/:id: an absent field is unchanged. */
export const UserChanges = namedRequest('UserChanges', {
  fullName: fullName().optional(),
  ...ProfileChanges.shape,
})

/** PATCH /api/admin/user/:id/ban */
export const Ban = component(
  'Ban',
  request({
    banned: z.boolean({ error: missingOrInvalid }),
    banReason: text(LONGEST_NOTE).nullish(),
  }).refine(({ banned, banReason }) => !banned || (banReason ?? '').trim() !== '', {
    error: 'Please provide a reason for banning this user',
    path: ['banReason'],
  }),
)

const listedAccount = { id: z.string(), userId: z.string(), ...accountShape, createdAt: z.iso.datetime(), stamps: AccountStamps }

/** A trading account in a list, without the master password. */
export const ListedAccount = namedObject('ListedAccount', listedAccount)

/** A user in the administrators' list. The account is null for a moment after registration. */
export const ListedUser = namedObject('ListedUser', { ...User.shape, banStamp: Stamp.nullable(), tradingAccount: ListedAccount.nullable() })
export type ListedUser = z.infer<typeof ListedUser>

/** GET /api/admin/user/:id: its master password is null or masked. */
export const UserDetails = namedObject('UserDetails', {
  ...User.shape,
  /** The ban, or its end; null for a user who was never banned. */
  banStamp: Stamp.nullable(),
  tradingAccount: z.object({ ...listedAccount, masterPassword: z.string().nullable() }).nullable(),
})
export type UserDetails = z.infer<typeof UserDetails>

/** POST /api/admin/user/:id/account/master-password */
export const ShownPassword = namedObject('ShownPassword', { masterPassword: z.string() })

/** The filter by account status, or by a ban. */
export const UserListStatus = z.enum([...AccountStatus.options, 'banned'], { error: INVALID })

const userList = page(UserListStatus, userOrders)

const onlyUsers = {
  banned: described('Only banned users, or only others', flag()),
  payoutEnabled: described('Only accounts with payouts enabled, or only those without', flag()),
  phase: described('Only accounts in just this phase', parameter(text(LONGEST_TEXT).optional())),
}

/** GET /api/admin/users; newest first unless sorted otherwise. `search` matches a name, email or broker login. */
export const UserList = userList.extend(onlyUsers)
export type UserList = z.infer<typeof UserList>

/** GET /api/admin/users.csv: the complete filtered list. */
export const UserExport = UserList.omit({ limit: true, cursor: true })
