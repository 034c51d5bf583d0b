import { mutationOptions } from '@tanstack/react-query'
import type { PayoutMethod } from '#services/trading/stream/payout-fields.ts'
import type { DestinationRequest } from '#services/payments/payouts/payout-api.ts'
import { destinationRoutes } from '#services/payments/destinations/saved-destination-api.ts'
import { send } from '@/api/api.ts'
import { routeQuery } from '@/api/route-query.ts'

/** The destinations that a trader keeps to choose from. */

export const savedDestinationsQuery = routeQuery(destinationRoutes.savedDestinations, { subjects: ['destinations'] })

interface NewDestination {
  readonly name: string
  readonly paymentMethod: PayoutMethod
  /** As typed. */
  readonly destination: DestinationRequest
}

export const saveDestination = mutationOptions({
  mutationFn: (body: NewDestination) => send(destinationRoutes.saveDestination, { body }),
  onSuccess: (_answer, _body, _before, { client }) =>
    void client.invalidateQueries({ queryKey: savedDestinationsQuery.queryKey }),
})

export const removeDestination = mutationOptions({
  mutationFn: (id: string) => send(destinationRoutes.removeDestination, { params: { id } }),
  onSettled: (_answer, _error, _id, _before, { client }) =>
    void client.invalidateQueries({ queryKey: savedDestinationsQuery.queryKey }),
})

export const confirmDestination = mutationOptions({
  mutationFn: (token: string) => send(destinationRoutes.confirmDestination, { body: { token } }),
  meta: { session: 'none' },
})
