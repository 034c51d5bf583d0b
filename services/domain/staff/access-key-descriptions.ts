import { change, type EventDescriptions } from '../event-description.ts'
import type { AdminKeyEvent } from './access-key.ts'

export const accessKeyDescriptions = {
  AdminKeyIssued: {
    title: 'Access key issued',
    category: 'accessKeys',
    refreshes: {},
    changes: ({ data }) => [change('accessKey.label', null, data.label), change('accessKey.role', null, data.role)],
  },
  AdminKeyRevoked: {
    title: 'Access key revoked',
    category: 'accessKeys',
    refreshes: {},
    changes: () => [change('accessKey.revoked', false, true)],
    mayEndSessions: true,
  },
  AdminSignedIn: { title: 'Administrator signed in', category: 'signIns', refreshes: {} },
  AdminSignInRefused: { title: 'Sign-in with an access key refused', category: 'signIns', refreshes: {}, reason: ({ why }) => why },
} as const satisfies EventDescriptions<AdminKeyEvent>
