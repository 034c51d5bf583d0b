import { component, described, namedObject } from '#services/framework/api/openapi-component.ts'
import { flag, page, parameter } from '#services/framework/api/pagination-schemas.ts'
import {
  answer,
  conflict,
  CSV_TYPE,
  del,
  file,
  get,
  patch,
  post,
  throttled,
  userPath,
} from '#services/framework/api/route.ts'
import { Stamp } from '#services/framework/api/stamp-schemas.ts'
import {
  addressLines,
  email,
  fullName,
  INVALID,
  LONGEST_NOTE,
  LONGEST_TEXT,
  missingOrInvalid,
  namedRequest,
  note,
  passwordText,
  request,
  secret,
  text,
  trimmedText,
} from '#services/framework/api/text.ts'
import { userOrders } from './user-vocabulary.ts'
import { AccountProgramme, accountShape, AccountStamps, AccountStatus } from '#services/trading/accounts/account-api.ts'
import { ListedEnrolment } from '#services/trading/enrolments/enrolment-api.ts'
import { eachProfileField } from './user-vocabulary.ts'
import { z } from 'zod'

/** Users as administrators see and change them (specification §5, §7). */

/** A user as shown to themselves and to administrators. Never a password, a hash or a token. */
export const User = namedObject('User', {
  id: z.string(),
  // Plain texts: after a deletion they read 'erased'.
  ...eachProfileField(() => z.string()),
  /** Whether the person has shown to read the mails to this address. */
  emailConfirmed: z.boolean(),
  privacyPolicyAgreed: z.boolean(),
  banned: z.boolean(),
  banReason: z.string().nullable(),
  createdAt: z.iso.datetime(),
})
export type User = z.infer<typeof User>

/** A user at a moment. */
export const AuditUser = namedObject('AuditUser', { ...User.shape, deleted: z.boolean() })

/** PATCH /api/user/profile: these five fields only; an absent one is unchanged. */
const profileChanges = {
  email: email('Please enter a valid email').optional(),
  ...addressLines((longest: number) => trimmedText(longest).optional()),
}

export const ProfileChanges = namedRequest('ProfileChanges', {
  ...profileChanges,
  currentPassword: described(
    'For a new email of somebody without a second factor. Without it the change is marked in the history.',
    passwordText(LONGEST_TEXT).optional(),
  ),
})
export type ProfileChanges = z.infer<typeof ProfileChanges>

/** The message for a missing or invalid token of a reset link. */
export const INVALID_RESET_TOKEN = 'Invalid reset token'

/** POST /api/revert-email */
export const EmailRevert = namedRequest('EmailRevert', { token: secret(500, INVALID_RESET_TOKEN) })
export type EmailRevert = z.infer<typeof EmailRevert>

/** POST /api/confirm-email */
export const EmailConfirmation = namedRequest('EmailConfirmation', { token: secret(500, INVALID_RESET_TOKEN) })
export type EmailConfirmation = z.infer<typeof EmailConfirmation>

/** POST /api/admin/users: the user sets a password by a mailed link. */
export const NewUser = namedRequest('NewUser', {
  fullName: fullName(),
  email: email('Please enter a valid email'),
  ...addressLines((longest) => trimmedText(longest).default('')),
})

/** PATCH /api/admin/user/:id: an absent field is unchanged. */
export const UserChanges = namedRequest('UserChanges', {
  fullName: fullName().optional(),
  ...profileChanges,
})

/** PATCH /api/admin/user/:id/ban */
export const Ban = component(
  'Ban',
  request({
    banned: z.boolean({ error: missingOrInvalid }),
    banReason: note(LONGEST_NOTE).nullish(),
  }).refine(({ banned, banReason }) => !banned || (banReason ?? '').trim() !== '', {
    error: 'Please provide a reason for banning this user',
    path: ['banReason'],
  }),
)

const listedAccount = {
  id: z.string(),
  userId: z.string(),
  /** False once it was closed. */
  open: z.boolean(),
  ...accountShape,
  programme: described('Null without a programme', AccountProgramme.nullable()),
  createdAt: z.iso.datetime(),
  stamps: AccountStamps,
}

/** A trading account in a list, without the master password. */
export const ListedAccount = namedObject('ListedAccount', listedAccount)

/** A user in the administrators' list. The current account is null for a moment after registration. */
export const ListedUser = namedObject('ListedUser', {
  ...User.shape,
  banStamp: Stamp.nullable(),
  tradingAccount: ListedAccount.nullable(),
  /** How many accounts the user has or had. */
  accountCount: z.int().nonnegative(),
})
export type ListedUser = z.infer<typeof ListedUser>

const AccountDetails = namedObject('AccountDetails', { ...listedAccount, masterPassword: z.string().nullable() })

/** GET /api/admin/user/:id: master passwords are null or masked. */
export const UserDetails = namedObject('UserDetails', {
  ...User.shape,
  /** The ban, or its end; null for a user who was never banned. */
  banStamp: Stamp.nullable(),
  /** The current account. */
  tradingAccount: AccountDetails.nullable(),
  /** All accounts, the newest first. */
  tradingAccounts: z.array(AccountDetails),
  /** The newest first. */
  enrolments: z.array(ListedEnrolment),
})
export type UserDetails = z.infer<typeof UserDetails>

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

/** The calls about users. */
export const userRoutes = {
  currentUser: get('/api/user', 'trader', {
    summary: 'Who is signed in',
    position: 'waits',
    answer: answer('The signed-in user', User),
  }),
  changeProfile: patch('/api/user/profile', 'trader', {
    summary: 'Change email or address; absent fields are unchanged',
    body: ProfileChanges,
    refuses: { ...conflict, ...throttled },
  }),
  requestEmailConfirmation: post('/api/user/confirm-email', 'trader', {
    summary: 'Mail the link that confirms the own address once more',
    refuses: throttled,
  }),
  users: get('/api/admin/users', 'read', {
    summary: 'All users with their trading accounts',
    query: UserList,
    paged: true,
    position: 'waits',
    answer: answer('A page of users', z.array(ListedUser)),
  }),
  usersExport: get('/api/admin/users.csv', 'export', {
    summary: 'The filtered list of users as CSV, without pagination and master passwords',
    query: UserExport,
    position: 'waits',
    answer: file(CSV_TYPE),
    refuses: throttled,
  }),
  createUser: post('/api/admin/users', 'change-accounts', {
    summary: 'Create a user with a trading account; the user sets a password by a mailed link',
    body: NewUser,
    answer: answer('The new user', User),
    status: 201,
    refuses: conflict,
  }),
  user: get('/api/admin/user/:id', 'read', {
    summary: 'One user with the trading account; its master password is masked',
    params: userPath,
    position: 'waits',
    answer: answer('The user', UserDetails),
  }),
  changeUser: patch('/api/admin/user/:id', 'edit-users', {
    summary: "Change a user's name, email or address; what is not sent stays as it is",
    params: userPath,
    body: UserChanges,
    refuses: conflict,
  }),
  deleteUser: del('/api/admin/user/:id', 'delete-users', {
    summary: 'Delete a user: ends sessions, frees the email and erases personal data for good',
    params: userPath,
    refuses: conflict,
  }),
  banUser: patch('/api/admin/user/:id/ban', 'ban-users', {
    summary: 'Ban a user with a reason, or unban one',
    params: userPath,
    body: Ban,
    refuses: conflict,
  }),
}
