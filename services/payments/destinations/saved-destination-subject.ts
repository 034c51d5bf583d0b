import { subject } from '#services/framework/subject.ts'
import { destinationRoutes } from './saved-destination-api.ts'
import { destinationDescriptions, destinationShown } from './saved-destination-descriptions.ts'
import { destinationEvents, destinationStreams } from './saved-destination.ts'

/** Saved destinations: the half that runs anywhere. */
export const savedDestinationSubject = subject({
  title: 'Saved destinations',
  about: 'Destinations that a trader keeps to choose from',
  events: destinationEvents,
  aggregates: [destinationStreams],
  descriptions: destinationDescriptions,
  shown: destinationShown,
  categories: { destinations: { label: 'Saved destinations', group: 'payments', staffOnly: false, isDecision: false } },
  routes: destinationRoutes,
})
