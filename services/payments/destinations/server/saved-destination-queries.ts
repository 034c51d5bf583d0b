import { z } from 'zod'
import { personalFields } from '#services/event-sourcing/read-models/personal-fields.ts'
import { isoTime } from '#services/framework/event-description.ts'
import type { Queries } from '#services/framework/module.ts'
import type { PaymentsParts } from '#services/payments/parts.ts'
import { destination } from '#services/trading/stream/destination-vocabulary.ts'
import type { destinationRoutes } from '../saved-destination-api.ts'
import { savedDestinations } from '../saved-destination-read-model.ts'
import { destinationEvents } from '../saved-destination.ts'

const personal = z.object({ name: z.string(), destination: destination.nullable() })

export function savedDestinationQueries({
  readModels,
  personKeys,
}: PaymentsParts['queries']): Queries<typeof destinationRoutes> {
  return {
    savedDestinations: {
      needs: [savedDestinations],
      handle: async ({ caller: { userId } }) => {
        const saved = await readModels.get(savedDestinations, userId)
        const key = await personKeys.keyOf(userId)
        const body = (saved?.list ?? []).map(({ id, method, fields, confirmed, savedAt }) => ({
          id,
          ...personal.parse(personalFields(destinationEvents.DestinationSaved, fields, key)),
          ...{ paymentMethod: method, confirmed, savedAt: isoTime(savedAt) },
        }))
        return { body }
      },
    },
  }
}
