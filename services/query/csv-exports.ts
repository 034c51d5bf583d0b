import {
  accountField,
  type AccountFieldKind,
  type AdminPayout,
  exportFields,
  type ListedUser,
  type PayoutExport,
  payoutMethodLabels,
  routes,
  type UserExport,
} from '../api/index.ts'
import { firm, payouts, users } from '../projections/index.ts'
import { listedUserResponse } from './query-responses.ts'
import { sendCsv } from './csv.ts'
import { payoutQueries } from './payout-list.ts'
import type { QueryDependencies, RegisterQuery } from './query-dependencies.ts'
import { findUsers } from './user-list.ts'

/** Rows fetched at once, so that memory stays bounded. */
const ROWS = 500

/** The filtered lists as files. */
export function registerExports(read: RegisterQuery, parts: QueryDependencies): void {
  const { readModels, now } = parts
  const { findPage, withPersons } = payoutQueries(parts)
  const nameOf = (list: string) => `${list}-${new Date(now()).toISOString().slice(0, 10)}.csv`

  read(routes.usersExport, [firm, users], async ({ query, response }) => {
    await sendCsv(response, nameOf('users'), userColumns, userPages(query))
    return undefined
  })

  read(routes.payoutsExport, [firm, payouts, users], async ({ query, response }) => {
    await sendCsv(response, nameOf('payouts'), payoutColumns, payoutPages(query))
    return undefined
  })

  async function* userPages(query: UserExport) {
    for (let cursor: string | undefined, first = true; first || cursor !== undefined; first = false) {
      const { documents, next } = await findUsers(readModels, { ...query, limit: ROWS, cursor })
      yield documents.map((user) => userRow(listedUserResponse(user)))
      cursor = next
    }
  }

  async function* payoutPages(query: PayoutExport) {
    for (let cursor: string | undefined, first = true; first || cursor !== undefined; first = false) {
      const { documents, next } = await findPage({ ...query, limit: ROWS, cursor })
      yield (await withPersons(documents)).map(payoutRow)
      cursor = next
    }
  }
}

const accountColumns = exportFields.map((name) => ({ name, ...accountField(name) }))

const userColumns = ['ID', 'Name', 'Email', 'Country', 'City', ...accountColumns.map(({ label, heading = label }) => heading), 'Banned', 'Ban Reason', 'Joined']

function userRow({ tradingAccount: account, ...user }: ListedUser): string[] {
  return [
    user.id,
    user.fullName,
    user.email,
    user.country,
    user.city,
    ...accountColumns.map(({ name, kind }) => accountCell(kind, account?.[name] ?? null)),
    user.banned ? 'Yes' : 'No',
    user.banReason ?? '',
    user.createdAt,
  ]
}

/** The CSV value of an account field; null where it is unset or there is no account yet. */
function accountCell(kind: AccountFieldKind, value: string | boolean | null): string {
  if (kind === 'switch') return value ? 'Enabled' : 'Disabled'
  if (value !== null) return String(value)
  return kind === 'money' || kind === 'profit' ? '0.00' : kind === 'status' ? 'pending' : ''
}

const payoutColumns = [
  'ID',
  'User ID',
  'Name',
  'Email',
  'Amount',
  'Payment Method',
  'Payment Details',
  'Status',
  'Requested',
  'Decided',
  'Decided By',
  'Admin Notes',
]

function payoutRow(payout: AdminPayout): string[] {
  return [
    payout.id,
    payout.userId,
    payout.user.fullName,
    payout.user.email,
    payout.amount,
    payoutMethodLabels[payout.paymentMethod],
    payout.paymentDetails,
    payout.status,
    payout.createdAt,
    payout.decidedAt ?? '',
    payout.stamps.decided?.name ?? '',
    payout.adminNotes ?? '',
  ]
}
