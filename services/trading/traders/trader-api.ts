import { described, namedObject } from '#services/framework/api/openapi-component.ts'
import { flag, page, parameter } from '#services/framework/api/pagination-schemas.ts'
import { answer, CSV_TYPE, file, get, throttled, userPath } from '#services/framework/api/route.ts'
import { Money } from '#services/framework/api/money.ts'
import { Stamp } from '#services/framework/api/stamp-schemas.ts'
import { INVALID, LONGEST_TEXT, text } from '#services/framework/api/text.ts'
import { User } from '#services/identity/users/user-api.ts'
import { currentUserRoutes } from './current-user-api.ts'
import { userOrders } from '#services/trading/stream/account-vocabulary.ts'
import { AccountProgramme, accountShape, AccountStamps, AccountStatus } from '#services/trading/accounts/account-api.ts'
import { ListedEnrolment } from '#services/trading/enrolments/enrolment-api.ts'
import { z } from 'zod'

/** Traders with their accounts, as they see themselves and as administrators see them (specification §5, §7). */

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
const MoneyOf = z.object({ count: z.int().nonnegative(), total: Money })

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
  unpaid: described(
    'What a deletion would cancel',
    z.object({
      owed: described('Approved and not paid, as traders receive it; sent payments too', MoneyOf),
      requested: described('Requests without a verdict', MoneyOf),
    }),
  ),
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

/** The calls that read users. */
export const traderRoutes = {
  ...currentUserRoutes,
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
  user: get('/api/admin/user/:id', 'read', {
    summary: 'One user with the trading account; its master password is masked',
    params: userPath,
    position: 'waits',
    answer: answer('The user', UserDetails),
  }),
}
