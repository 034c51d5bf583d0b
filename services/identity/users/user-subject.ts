import { subject } from '#services/framework/subject.ts'
import { userPart } from './user-part.ts'
import { emailClaimEvents, emailClaims } from './email-claim.ts'
import { userRoutes } from './user-api.ts'
import { emailClaimDescriptions, userDescriptions } from './user-descriptions.ts'
import { userEvents, userStreams } from './user.ts'

/** Users: the half that runs anywhere. */
export const userSubject = subject({
  title: 'Users',
  about: 'Who users are',
  events: { ...userEvents, ...emailClaimEvents },
  aggregates: [userStreams, emailClaims],
  descriptions: { ...userDescriptions, ...emailClaimDescriptions },
  shown: { user: userPart },
  categories: {
    bans: { label: 'Bans', group: 'people', staffOnly: false, isDecision: true },
    identity: { label: 'Identity', group: 'people', staffOnly: false, isDecision: true },
    passwords: { label: 'Passwords', group: 'people', staffOnly: false, isDecision: false },
    emailAddresses: { label: 'Email addresses', group: 'people', staffOnly: true, isDecision: false },
  },
  routes: userRoutes,
})
