import type { Module, Queries } from '#services/framework/module.ts'
import type { TradingParts } from '#services/trading/parts.ts'
import { firm } from '../firm-read-model.ts'
import { traderSubject } from '../trader-subject.ts'
import { ALL_OF_PERSON } from '#services/event-sourcing/read-models/read-model-reader.ts'
import { payouts } from '#services/trading/accounts/payout-read-model.ts'
import { users } from '#services/trading/accounts/user-read-model.ts'
import type { ListedUser, traderRoutes } from '../trader-api.ts'
import { totalOf } from '#services/framework/http/list-total.ts'
import { HttpError } from '#services/framework/http/http-errors.ts'
import { setPaginationHeaders } from '#services/framework/http/pagination.ts'
import {
  accountField,
  type AccountField,
  type AccountFieldKind,
  exportFields,
} from '#services/trading/accounts/account-fields.ts'
import { type Columns, createListDownload, ROWS_AT_ONCE } from '#services/identity/staff/server/list-download.ts'
import { firmFigures } from './firm-figures.ts'
import { ownUser } from '#services/trading/accounts/server/own-user.ts'
import { countUsers, findUsers } from './user-list.ts'
import { listedUserResponse, userDetailsResponse, userResponse } from './user-responses.ts'

export const traderModule: Module<typeof traderSubject, TradingParts> = {
  subject: traderSubject,
  queries: traderQueries,
  readModels: [users, firm],
  // The events of users and accounts remove what the read models hold.
  erase: null,
}

/** Who is signed in, and the users as staff see them. */
function traderQueries(parts: TradingParts['queries']): Queries<typeof traderRoutes> {
  const { readModels, personKeys } = parts
  const download = createListDownload(parts)
  return {
    currentUser: {
      needs: [users],
      handle: async ({ caller }) => ({ body: userResponse(await ownUser(parts, caller.userId)) }),
    },

    users: {
      needs: [firm, users],
      handle: async ({ query, request, response }) => {
        const page = await findUsers(parts, query)
        setPaginationHeaders(
          request,
          response,
          page,
          await totalOf(page, query, async () => countUsers(readModels, query, await firmFigures(readModels))),
        )
        return { body: page.documents.map(listedUserResponse) }
      },
    },

    user: {
      needs: [users, payouts],
      handle: async ({ params: { id } }) => {
        const user = await readModels.get(users, id)
        if (!user) throw new HttpError(404, { message: 'User not found' })
        const where = { userId: id, status: ['pending', 'approved'] }
        const { documents } = await readModels.find(payouts, { where, limit: ALL_OF_PERSON })
        return { body: userDetailsResponse(user, await personKeys.keyOf(id), documents) }
      },
    },

    usersExport: {
      needs: [firm, users],
      handle: (call) =>
        download(call, 'users', userColumns, async (cursor) => {
          const { documents, next } = await findUsers(parts, { ...call.query, limit: ROWS_AT_ONCE, cursor })
          return { entries: documents.map(listedUserResponse), next }
        }),
    },
  }
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
