import { z } from 'zod'
import { described, namedObject } from '#services/framework/api/openapi-component.ts'
import { answer, conflict, del, get, post, throttled } from '#services/framework/api/route.ts'
import { namedRequest, requiredText, secret } from '#services/framework/api/text.ts'
import { INVALID_RESET_TOKEN } from '#services/identity/users/user-api.ts'
import { DestinationRequest } from '#services/payments/payouts/payout-api.ts'
import { destination } from '#services/trading/stream/destination-vocabulary.ts'
import { PayoutMethod } from '#services/trading/stream/payout-fields.ts'

/** Destinations that a trader keeps to choose from. */

/** POST /api/user/destinations */
export const NewSavedDestination = namedRequest('NewSavedDestination', {
  name: requiredText(60),
  destination: DestinationRequest,
  paymentMethod: described(
    "Whose address an email is, 'paypal' without it; else it follows from the destination",
    PayoutMethod.optional(),
  ),
})

/** POST /api/confirm-destination */
export const DestinationConfirmation = namedRequest('DestinationConfirmation', {
  token: secret(500, INVALID_RESET_TOKEN),
})

export const SavedDestination = namedObject('SavedDestination', {
  id: z.string(),
  name: z.string(),
  paymentMethod: PayoutMethod,
  destination: described('Null after an erasure', destination.nullable()),
  confirmed: described('By the link in the mail: before it is not offered', z.boolean()),
  savedAt: z.iso.datetime(),
})
export type SavedDestination = z.infer<typeof SavedDestination>

const destinationPath = z.object({ id: described("The saved destination's id", z.string()) })

export const destinationRoutes = {
  savedDestinations: get('/api/user/destinations', 'trader', {
    summary: "The trader's own saved destinations, oldest first",
    position: 'waits',
    answer: answer('The destinations', z.array(SavedDestination)),
  }),
  saveDestination: post('/api/user/destinations', 'trader', {
    summary: 'Save a destination to choose from; usable once it is confirmed by the link that is mailed',
    body: NewSavedDestination,
    answer: answer('The destination', SavedDestination),
    status: 201,
    refuses: { ...conflict, ...throttled },
  }),
  removeDestination: del('/api/user/destinations/:id', 'trader', {
    summary: 'Remove a saved destination',
    params: destinationPath,
  }),
  confirmDestination: post('/api/confirm-destination', 'public', {
    summary: 'Confirm a saved destination with the token that was mailed',
    body: DestinationConfirmation,
    position: 'answers',
    refuses: throttled,
  }),
}
