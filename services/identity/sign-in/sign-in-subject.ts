import { subject } from '#services/framework/subject.ts'
import { signInRoutes } from './sign-in-api.ts'

/** Sign-in: the half that runs anywhere. */
export const signInSubject = subject({
  title: 'Sign-in',
  about: 'Register, sign in and out, recover a password, see and end sessions',
  categories: { sessions: { label: 'Sessions', group: 'people', staffOnly: false, isDecision: false } },
  routes: signInRoutes,
})
