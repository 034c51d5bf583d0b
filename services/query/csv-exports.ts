import type { Response } from 'express'
import { type AccountField, accountField, type AccountFieldKind, exportFields } from '#services/modules/accounts/account-fields.ts'
import type { AdminPayout } from '#services/modules/payouts/payout-api.ts'
import type { downloadedLists } from '#services/modules/staff/staff-vocabulary.ts'
import { payoutMethodLabels } from '#services/modules/payouts/payout-vocabulary.ts'
import type { ListedUser } from '#services/modules/users/user-api.ts'
import { payoutRoutes } from '#services/modules/payouts/payout-api.ts'
import { userRoutes } from '#services/modules/users/user-api.ts'
import { firm } from '#services/modules/statistics/firm-read-model.ts'
import { payouts } from '#services/modules/payouts/payout-read-model.ts'
import { users } from '#services/modules/users/user-read-model.ts'
import { adminKeyId } from '#services/modules/ids.ts'
import { downloadList, adminKeys } from '#services/modules/staff/access-key.ts'
import type { Context } from '#services/event-sourcing/codec/metadata.ts'
import type { AdminCaller } from '#services/authentication/access-control.ts'
import { listedUserResponse } from './query-responses.ts'
import { sendCsv } from './csv.ts'
import { payoutQueries } from '#services/modules/payouts/server/payout-list.ts'
import type { QueryDependencies, RegisterQuery } from './query-dependencies.ts'
import { findUsers } from '#services/modules/users/server/user-list.ts'

/** Rows fetched at once, so that memory stays bounded. */
const ROWS = 500

/** The filtered lists as files. */
export function registerExports(read: RegisterQuery, parts: QueryDependencies): void {
  const { readModels, repositories, throttle, now } = parts
  const { select, withPersons } = payoutQueries(parts)

  /** Counts and records a download before it begins. The search text may be a person's name, so it is not recorded. */
  const record = async ({ caller, context, query: { status, search } }: Download, list: DownloadedList) => {
    await throttle.attempt(['exportAccessKey', caller.id])
    const download = { list, status: status ?? null, searched: search !== undefined }
    await repositories.of(adminKeys).decide(adminKeyId.parse(caller.id), context, (member) => downloadList(member, download))
  }

  const send = async <Entry>(call: Download & { readonly response: Response }, list: DownloadedList, columns: Columns<Entry>, pages: Pages<Entry>) => {
    await record(call, list)
    const name = `${list}-${new Date(now()).toISOString().slice(0, 10)}.csv`
    await sendCsv(call.response, name, Object.keys(columns), rowsOf(pages, columns))
    return undefined
  }

  read(userRoutes.usersExport, [firm, users], (call) =>
    send(call, 'users', userColumns, async (cursor) => {
      const { documents, next } = await findUsers(readModels, { ...call.query, limit: ROWS, cursor })
      return { entries: documents.map(listedUserResponse), next }
    }),
  )

  read(payoutRoutes.payoutsExport, [firm, payouts, users], (call) =>
    send(call, 'payouts', payoutColumns, async (cursor) => {
      const { documents, next } = await (await select(call.query)).findPage({ ...call.query, limit: ROWS, cursor })
      return { entries: await withPersons(documents), next }
    }),
  )
}

interface Download {
  readonly caller: AdminCaller
  readonly context: Context
  readonly query: { readonly status?: string | undefined; readonly search?: string | undefined }
}

type DownloadedList = (typeof downloadedLists)[number]

/** The columns of a table: by its heading, the value of each. */
type Columns<Entry> = Readonly<Record<string, (entry: Entry) => string>>

/** A list, page by page. */
type Pages<Entry> = (cursor: string | undefined) => Promise<{ readonly entries: readonly Entry[]; readonly next: string | undefined }>

async function* rowsOf<Entry>(pages: Pages<Entry>, columns: Columns<Entry>): AsyncGenerator<string[][], void> {
  let cursor: string | undefined
  do {
    const { entries, next } = await pages(cursor)
    yield entries.map((entry) => Object.values(columns).map((valueOf) => valueOf(entry)))
    cursor = next
  } while (cursor !== undefined)
}

const accountColumns = exportFields.map((name) => {
  const { kind, label, heading = label }: AccountField = accountField(name)
  return [heading, ({ tradingAccount }: ListedUser) => accountCell(kind, tradingAccount?.[name] ?? null)] as const
})

const userColumns: Columns<ListedUser> = {
  ID: ({ id }) => id,
  Name: ({ fullName }) => fullName,
  Email: ({ email }) => email,
  Country: ({ country }) => country,
  City: ({ city }) => city,
  ...Object.fromEntries(accountColumns),
  Banned: ({ banned }) => (banned ? 'Yes' : 'No'),
  'Ban Reason': ({ banReason }) => banReason ?? '',
  Joined: ({ createdAt }) => createdAt,
}

/** The CSV value of an account field; null where it is unset or there is no account yet. */
function accountCell(kind: AccountFieldKind, value: string | boolean | null): string {
  if (kind === 'switch') return value ? 'Enabled' : 'Disabled'
  if (value !== null) return String(value)
  return kind === 'money' || kind === 'profit' ? '0.00' : kind === 'status' ? 'pending' : ''
}

const payoutColumns: Columns<AdminPayout> = {
  ID: ({ id }) => id,
  'User ID': ({ userId }) => userId,
  Name: ({ user }) => user.fullName,
  Email: ({ user }) => user.email,
  Amount: ({ amount }) => amount,
  'Payment Method': ({ paymentMethod }) => payoutMethodLabels[paymentMethod],
  'Payment Details': ({ paymentDetails }) => paymentDetails,
  Status: ({ status }) => status,
  Requested: ({ createdAt }) => createdAt,
  Decided: ({ decidedAt }) => decidedAt ?? '',
  'Decided By': ({ stamps }) => stamps.decided?.name ?? '',
  'Admin Notes': ({ adminNotes }) => adminNotes ?? '',
}
