import { z } from 'zod'
import * as factors from '#services/modules/second-factors/second-factor-api.ts'
import * as sessions from '#services/modules/sign-in/sign-in-api.ts'
import { described } from './openapi-component.ts'
import { answer, conflict, del, get, post, refusal, throttled, traderRefusals, userPath } from './route.ts'
import { INVALID, request } from './text.ts'

const sessionQuery = request({
  id: described('Only the session with this id, if it is open; without it, all but the one in use', z.string(INVALID).optional()),
})

/** The calls about signing in and out, passwords and open sessions. */
export const sessionRoutes = {
  login: post('/api/login', 'public', {
    summary: "Sign in as a trader; with a second factor, 401 'second-factor-required' until that follows",
    body: sessions.Credentials,
    answer: answer('The signed-in user', sessions.User),
    refuses: { ...traderRefusals, ...throttled, 401: refusal('Wrong email or password') },
  }),
  signInChoice: get('/api/login/factor', 'public', {
    summary: 'How to take the second step of a sign-in',
    answer: answer('The choice, with a challenge for a passkey', factors.FactorChoice),
    refuses: { 401: refusal('No sign-in waits for a second step') },
  }),
  signInFactor: post('/api/login/factor', 'public', {
    summary: 'The second step of a sign-in: a passkey, or a code of the authenticator app or of the recovery codes',
    body: factors.FactorProof,
    answer: answer('The signed-in user', sessions.User),
    refuses: { ...traderRefusals, ...conflict, ...throttled, 401: refusal('No sign-in waits for a second step') },
  }),
  passkeySignInRequest: get('/api/login/passkey', 'public', {
    summary: 'What a browser needs to sign a trader in with a passkey alone',
    answer: answer('Options for navigator.credentials.get()', factors.PasskeyRequest),
    refuses: conflict,
  }),
  passkeySignIn: post('/api/login/passkey', 'public', {
    summary: 'Sign in as a trader with a passkey alone',
    body: factors.PasskeySignIn,
    answer: answer('The signed-in user', sessions.User),
    refuses: { ...traderRefusals, ...conflict, ...throttled, 401: refusal('The passkey is not known here') },
  }),
  logout: post('/api/logout', 'public', { summary: 'End the session, if any' }),
  forgotPassword: post('/api/forgot-password', 'public', {
    // No position, though an event may be appended: it would reveal whether the address is known.
    summary: 'Request a link to reset the password; the answer is the same for unknown addresses',
    body: sessions.PasswordForgotten,
    refuses: throttled,
  }),
  resetPassword: post('/api/reset-password', 'public', {
    summary: 'Set a new password with the token of a mailed link; ends every session',
    body: sessions.PasswordReset,
    position: 'answers',
    refuses: { ...conflict, ...throttled },
  }),
  changePassword: post('/api/user/change-password', 'trader', {
    summary: 'Change the password; ends every other session',
    body: sessions.PasswordChange,
    refuses: { ...conflict, ...throttled },
  }),
  ownSessions: get('/api/user/sessions', 'trader', {
    summary: "The trader's own sessions, the last used first",
    answer: answer('The sessions', z.array(sessions.OpenSession)),
  }),
  endOwnSessions: del('/api/user/sessions', 'trader', {
    summary: "End one of the trader's own sessions, or all except this one",
    query: sessionQuery,
  }),
  adminLogin: post('/api/admin/login', 'public', {
    summary: "Sign in with an access key; with a second factor, 401 'second-factor-required' until that follows",
    body: sessions.AdminCredentials,
    answer: answer('Signed in', sessions.SignedInAdmin),
    refuses: { 401: refusal('Invalid access key'), ...throttled },
  }),
  staffSignInChoice: get('/api/admin/login/factor', 'public', {
    summary: 'How to take the second step of a sign-in with an access key',
    answer: answer('The choice, with a challenge for a passkey', factors.FactorChoice),
    refuses: { 401: refusal('No sign-in waits for a second step') },
  }),
  staffSignInFactor: post('/api/admin/login/factor', 'public', {
    summary: 'The second step of a sign-in with an access key',
    body: factors.FactorProof,
    answer: answer('Signed in', sessions.SignedInAdmin),
    refuses: { 401: refusal('No sign-in waits for a second step'), ...conflict, ...throttled },
  }),
  adminAuth: get('/api/admin/auth', 'public', {
    summary: 'The access key of this session, if any',
    answer: answer('The access key', sessions.AdminAuth),
  }),
  adminLogout: post('/api/admin/logout', 'public', { summary: "End the access key's session; without one, nothing happens" }),
  staffSessions: get('/api/admin/auth/sessions', 'own-sessions', {
    summary: 'The sessions of the own access key, the last used first',
    answer: answer('The sessions', z.array(sessions.OpenSession)),
  }),
  endStaffSessions: del('/api/admin/auth/sessions', 'own-sessions', {
    summary: 'End a session of the own access key, or all except this one',
    query: sessionQuery,
  }),
  userSessions: get('/api/admin/user/:id/sessions', 'read', {
    summary: "A user's sessions, the last used first",
    params: userPath,
    position: 'waits',
    answer: answer('The sessions', z.array(sessions.OpenSession)),
  }),
  endUserSessions: del('/api/admin/user/:id/sessions', 'ban-users', {
    summary: 'End every session of a user; the user sees it in the history',
    params: userPath,
    refuses: conflict,
  }),
}
