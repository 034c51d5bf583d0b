import { z } from 'zod'
import { parseStreamName } from '#services/event-sourcing/aggregate-type.ts'
import {
  encryptedFields,
  encryptedFieldsOf,
  projection,
  updateExisting,
} from '#services/event-sourcing/read-models/projection.ts'
import { payoutMethod } from '#services/trading/stream/payout.ts'
import { destinationEvents } from './saved-destination.ts'

const document = z.object({
  /** The trader's. */
  id: z.string(),
  list: z.array(
    z.object({
      id: z.string(),
      method: payoutMethod,
      /** Name and destination, encrypted. */
      fields: encryptedFields,
      confirmed: z.boolean(),
      savedAt: z.int(),
    }),
  ),
})
type SavedDestinationsDocument = z.infer<typeof document>

/** One document a trader, with the destinations in it. */
export const savedDestinations = projection(destinationEvents, {
  name: 'saved-destinations',
  version: 1,
  document,
  documentId: ({ stream }) => parseStreamName(stream).id,
  on: {
    DestinationSaved: (before, event): SavedDestinationsDocument => ({
      id: parseStreamName(event.stream).id,
      list: [
        ...(before?.list ?? []),
        {
          ...{ id: event.data.destinationId, method: event.data.method, fields: encryptedFieldsOf(event) },
          ...{ confirmed: false, savedAt: event.at },
        },
      ],
    }),
    DestinationConfirmed: updateExisting((saved, { data }) => ({
      ...saved,
      list: saved.list.map((each) => (each.id === data.destinationId ? { ...each, confirmed: true } : each)),
    })),
    DestinationRemoved: updateExisting((saved, { data }) => ({
      ...saved,
      list: saved.list.filter(({ id }) => id !== data.destinationId),
    })),
    DestinationsForgotten: () => null,
  },
})
