import { change, type EventDescriptions } from '#services/framework/event-description.ts'
import type { ShownObject } from '#services/framework/shown-state.ts'
import { fullDestination } from '#services/trading/stream/destination-vocabulary.ts'
import type { DestinationEvent } from './saved-destination.ts'

export const destinationDescriptions = {
  DestinationSaved: {
    title: 'Destination saved',
    category: 'destinations',
    changes: ({ data: { name, destination } }) => [
      change('destination.name', null, name),
      change('destination.goesTo', null, destination && fullDestination(destination)),
    ],
    mail: true,
    urgent: true,
  },
  DestinationConfirmed: { title: 'Saved destination confirmed', category: 'destinations' },
  DestinationRemoved: { title: 'Saved destination removed', category: 'destinations' },
  DestinationsForgotten: { title: 'Saved destinations forgotten', category: 'destinations' },
} as const satisfies EventDescriptions<DestinationEvent>

export const destinationShown: Readonly<Record<string, ShownObject>> = {
  destination: {
    fields: {
      name: { label: 'Name', kind: 'text', ofAction: true },
      goesTo: { label: 'Goes To', kind: 'text', ofAction: true },
    },
  },
}
