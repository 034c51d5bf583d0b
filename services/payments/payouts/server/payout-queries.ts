import { ALL_OF_PERSON, type ReadModels } from '#services/event-sourcing/read-models/read-model-reader.ts'
import type { PaymentsParts } from '#services/payments/parts.ts'
import type { Queries } from '#services/framework/module.ts'
import { totalOf } from '#services/framework/http/list-total.ts'
import { setPaginationHeaders } from '#services/framework/http/pagination.ts'
import { type Columns, createListDownload, ROWS_AT_ONCE } from '#services/identity/staff/server/list-download.ts'
import { adminKeys } from '#services/identity/staff/member-read-model.ts'
import { firm } from '#services/trading/traders/firm-read-model.ts'
import { firmFigures } from '#services/trading/traders/server/firm-figures.ts'
import { accountIn } from '#services/trading/accounts/server/account-of-document.ts'
import { ownUser } from '#services/trading/accounts/server/own-user.ts'
import { users } from '#services/trading/accounts/user-read-model.ts'
import { fileColumns } from '#services/trading/stream/payout-fields.ts'
import type { AdminPayout, payoutRoutes } from '../payout-api.ts'
import { payouts } from '#services/trading/accounts/payout-read-model.ts'
import { payoutSums } from '../payout-summary.ts'
import { standingNeeds } from '#services/trading/accounts/server/standings.ts'
import { payoutContext } from './payout-context.ts'
import { createPayoutList } from './payout-list.ts'
import { payoutFiguresResponse, payoutResponse, payoutSummaryResponse } from './payout-responses.ts'

/** How many payouts are added up for the figures above a list. */
const ADDED_UP = 5_000

/** A trader's own payouts, and those of all traders for staff. */
export function payoutQueries(parts: PaymentsParts['queries']): Queries<typeof payoutRoutes> {
  const { readModels, personKeys } = parts
  const list = createPayoutList(parts)
  const download = createListDownload(parts)
  return {
    ownPayouts: {
      needs: [payouts, users],
      handle: async ({ caller: { userId }, query }) => {
        const accountId = query.account && accountIn(await ownUser(parts, userId), query.account).id
        const where = { userId, ...(accountId !== undefined && { accountId }) }
        const { documents } = await readModels.find(payouts, { where, limit: ALL_OF_PERSON })
        const key = await personKeys.keyOf(userId)
        return { body: documents.map((payout) => payoutResponse(payout, key, 'trader')) }
      },
    },

    payoutSummary: {
      needs: [payouts, users],
      handle: async ({ caller: { userId }, query }) => {
        const { id: accountId, profitLoss } = accountIn(await ownUser(parts, userId), query.account)
        const { documents } = await readModels.find(payouts, { where: { accountId }, limit: ALL_OF_PERSON })
        return { body: payoutSummaryResponse(profitLoss, payoutSums(profitLoss, documents)) }
      },
    },

    payouts: {
      needs: [adminKeys, firm, payouts, users],
      handle: async ({ query, request, response }) => {
        const selected = await list.select(query)
        const page = await selected.findPage(query)
        setPaginationHeaders(
          request,
          response,
          page,
          await totalOf(page, query, async () => selected.count(query, await firmFigures(readModels))),
        )
        return { body: await list.withPersons(page.documents) }
      },
    },

    payoutFigures: {
      needs: [payouts, users],
      handle: async ({ query }) => ({ body: payoutFiguresResponse(await list.some(query, ADDED_UP)) }),
    },

    payoutContext: {
      needs: [...standingNeeds, payouts, adminKeys],
      handle: async ({ params: { id } }) => ({ body: await payoutContext(parts, list, id) }),
    },

    payoutsExport: {
      needs: [firm, payouts, users],
      handle: (call) =>
        download(call, 'payouts', payoutColumns, async (cursor) => {
          const { documents, next } = await (
            await list.select(call.query)
          ).findPage({ ...call.query, limit: ROWS_AT_ONCE, cursor })
          return { entries: await list.withPersons(documents), next }
        }),
    },
  }
}

const payoutColumns: Columns<AdminPayout> = {
  ID: ({ id }) => id,
  'User ID': ({ userId }) => userId,
  Account: ({ accountId }) => accountId,
  Login: ({ account }) => account?.login ?? '',
  Name: ({ user }) => user.fullName,
  Email: ({ user }) => user.email,
  ...fileColumns('amount', 'paymentMethod', 'paymentDetails', 'destination', 'status', 'createdAt', 'decidedAt'),
  'Decided By': ({ stamps }) => stamps.decided?.name ?? '',
  ...fileColumns('adminNotes', 'traderReceives', 'payment'),
  Reference: ({ payment }) => payment?.reference ?? '',
  // The rest; those above keep their places.
  ...fileColumns(),
}

/** When the oldest payout was approved whose money is still owed, in ms; null while none is. */
export async function oldestUnpaidOf(readModels: Pick<ReadModels, 'find'>): Promise<number | null> {
  const { documents } = await readModels.find(payouts, {
    where: { 'payment.state': ['open', 'in-batch', 'sent', 'failed', 'returned'] },
    // The order of work begins with the newest of those that are decided.
    sort: { by: 'queue', direction: -1 },
    limit: 1,
  })
  return documents[0]?.decidedAt ?? null
}
