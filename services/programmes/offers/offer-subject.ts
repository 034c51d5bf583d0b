import { subject } from '#services/framework/subject.ts'
import { offerRoutes } from './offer-api.ts'

/** Offers: the half that runs anywhere. */
export const offerSubject = subject({
  title: 'Offers',
  about: 'The evaluation accounts for sale',
  events: {},
  aggregates: [],
  descriptions: {},
  shown: {},
  categories: {},
  routes: offerRoutes,
})
