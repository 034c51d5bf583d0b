import { mutationOptions } from '@tanstack/react-query'
import { type DestinationRequest, payoutRoutes } from '#services/payments/payouts/payout-api.ts'
import type { PayoutMethod } from '#services/trading/stream/payout-fields.ts'
import { send } from '@/api/api.ts'
import { IDEMPOTENCY_HEADER } from '#services/framework/api/headers.ts'
import { queryParts, routeQuery } from '@/api/route-query.ts'

/** The trader's own payout requests, of all accounts (specification §7). */

export const payoutsQuery = routeQuery(payoutRoutes.ownPayouts, { subjects: ['payouts'] })

/** The sums behind a request from an account, by default the current one. */
export const payoutSummaryQuery = (account: string | undefined) =>
  routeQuery(payoutRoutes.payoutSummary, { query: { account }, subjects: ['accounts', 'payouts'] })

/** The request body, with the amount as typed. */
export interface PayoutDraft {
  readonly amount: string
  readonly paymentMethod: PayoutMethod
  readonly paymentDetails: string
  /** As typed; null where the details say it. */
  readonly destination: DestinationRequest | null
}

/** The summaries of all accounts. */
const allSummaries = queryParts(payoutRoutes.payoutSummary, { subjects: [] })

interface KeyedPayoutDraft {
  /** The id of the account that pays. */
  readonly account: string
  readonly draft: PayoutDraft
  /** The same for every retry, so that one payout is made. */
  readonly key: string
}

/** Takes a request back for good, while it waits. */
export const withdrawPayout = mutationOptions({
  mutationFn: (id: string) => send(payoutRoutes.withdrawPayout, { params: { id } }),
  onSuccess(_answer, _id, _before, { client }) {
    for (const { queryKey } of [payoutsQuery, allSummaries]) void client.invalidateQueries({ queryKey })
  },
})

interface GivenDestination {
  /** The id of the payout. */
  readonly id: string
  /** As typed. */
  readonly destination: DestinationRequest
}

/** Gives the payment of a payout another destination. */
export const giveDestination = mutationOptions({
  mutationFn: ({ id, destination }: GivenDestination) =>
    send(payoutRoutes.giveDestination, { params: { id }, body: { destination } }),
  onSuccess(_answer, _given, _before, { client }) {
    void client.invalidateQueries({ queryKey: payoutsQuery.queryKey })
  },
})

export const requestPayout = mutationOptions({
  mutationFn: ({ account, draft, key }: KeyedPayoutDraft) =>
    send(payoutRoutes.requestPayout, { query: { account }, body: draft, headers: { [IDEMPOTENCY_HEADER]: key } }),
  // Not awaited: the request succeeded even if the list fails to load.
  onSuccess(_answer, _request, _before, { client }) {
    for (const { queryKey } of [payoutsQuery, allSummaries]) void client.invalidateQueries({ queryKey })
  },
})
