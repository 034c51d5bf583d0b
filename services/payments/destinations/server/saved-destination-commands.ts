import { fieldFailure } from '#services/framework/api/error-schemas.ts'
import { clientNetwork } from '#services/framework/http/client-network.ts'
import { HttpError } from '#services/framework/http/http-errors.ts'
import { done } from '#services/framework/http/serve-route.ts'
import type { Commands } from '#services/framework/module.ts'
import { newId } from '#services/identity/authentication/random-id.ts'
import { createPasswordLink, userIdOfToken } from '#services/identity/users/server/password-link-tokens.ts'
import type { PaymentsParts } from '#services/payments/parts.ts'
import type { DestinationRequest } from '#services/payments/payouts/payout-api.ts'
import { checkedDestination } from '#services/payments/payouts/server/checked-destination.ts'
import { hashesEqual, hashToken } from '#services/process/keys/derived-secrets.ts'
import { isoTime } from '#services/framework/event-description.ts'
import type { PayoutMethod } from '#services/trading/stream/payout-fields.ts'
import type { destinationRoutes } from '../saved-destination-api.ts'
import {
  confirmDestination,
  CONFIRMATION_LIFETIME,
  destinationStreams,
  removeDestination,
  saveDestination,
} from '../saved-destination.ts'

const BAD_LINK = 'This link is not complete. Please open it from the mail once more.'

/** Traders save, confirm and remove destinations. */
export function savedDestinationCommands({
  repositories,
  stepUp,
  throttle,
  now,
}: PaymentsParts['commands']): Commands<typeof destinationRoutes> {
  const destinations = repositories.of(destinationStreams)
  return {
    saveDestination: async ({ caller, body, context, request }) => {
      const { userId } = caller
      const { name } = body
      await stepUp.assertConfirmed({ caller, request })
      const method = body.paymentMethod ?? methodOf(body.destination)
      const destination = checkedDestination(method, body.destination)
      // It mails.
      await throttle.attempt(['emailPerson', userId])
      const link = createPasswordLink(userId, now() + CONFIRMATION_LIFETIME)
      const destinationId = newId(context, 'destination')
      const { position, events } = await destinations.decide(userId, context, (saved) =>
        saveDestination(saved, { destinationId, method, name, destination, ...link }),
      )
      const [made] = events
      if (!made) throw new Error('A saved destination is an event')
      const answer = { id: destinationId, name, paymentMethod: method, destination, confirmed: false }
      return { status: 201, body: { ...answer, savedAt: isoTime(made.at) }, position }
    },

    removeDestination: async ({ caller: { userId }, params, context }) =>
      done((await destinations.decide(userId, context, (saved) => removeDestination(saved, params.id))).position),

    confirmDestination: async ({ body: { token }, context, request }) => {
      const tried = await throttle.attempt(['resetNetwork', clientNetwork(request)])
      const userId = userIdOfToken(token)
      if (!userId) {
        await throttle.attempt(['resetAccount', 'unknown'])
        throw new HttpError(400, fieldFailure('token', BAD_LINK))
      }
      const tokenHash = hashToken(token)
      const own = { ...context, actor: { kind: 'trader', id: userId } } as const
      const { position } = await destinations.decide(userId, own, (saved) =>
        confirmDestination(saved, (hash) => hashesEqual(hash, tokenHash), now()),
      )
      await tried.refund()
      return done(position)
    },
  }
}

/** The method that a destination belongs to, by its fields. */
function methodOf({ email, network, address }: DestinationRequest): PayoutMethod {
  if (network !== undefined || address !== undefined) return 'crypto'
  return email === undefined ? 'bank' : 'paypal'
}
