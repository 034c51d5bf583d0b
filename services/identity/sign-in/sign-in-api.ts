import { email } from '#services/framework/api/email-address.ts'
import { component, components, described, namedObject } from '#services/framework/api/openapi-component.ts'
import {
  answer,
  conflict,
  del,
  get,
  post,
  refusal,
  throttled,
  traderRefusals,
  userPath,
} from '#services/framework/api/route.ts'
import {
  addressLines,
  fullName,
  INVALID,
  namedRequest,
  newPassword,
  request,
  requiredText,
  secret,
} from '#services/framework/api/text.ts'
import {
  FactorChoice,
  FactorProof,
  PasskeyRequest,
  PasskeySignIn,
} from '#services/identity/second-factors/factor-proof-api.ts'
import { AdminRole } from '#services/identity/staff/staff-api.ts'
import { EmailConfirmation, EmailRevert, INVALID_RESET_TOKEN, User } from '#services/identity/users/user-api.ts'
import { z } from 'zod'

/** Identity: registration, sign-in, profile, passwords, and the administrator's sign-in (specification §5, §7). */

const DIFFERENT = 'Passwords do not match'

/** Checked even when other fields are invalid, so that a form shows all of its messages at once. */
const onConfirmation = {
  error: DIFFERENT,
  path: ['confirmPassword'],
  when: ({ value }: { readonly value: unknown }) => typeof value === 'object' && value !== null,
}

const confirmation = z.string({ error: 'Please confirm your password' }).min(1, 'Please confirm your password')

const agreed = 'You must agree to the privacy policy'

/** A boolean and not the literal true: a form starts with false. */
const consent = z.boolean({ error: agreed }).refine((value) => value, agreed)
components.add(consent, { const: true })

const registrationFields = {
  fullName: fullName(),
  email: email('Please enter a valid email'),
  password: newPassword('Password'),
  privacyPolicyAgreed: consent,
  ...addressLines(requiredText),
}

/** POST /api/register. The confirmation need not be sent (specification §7), but must match when it is. */
export const Registration = component(
  'Registration',
  // The confirmation is last: zod reports errors between fields there.
  request({ ...registrationFields, confirmPassword: confirmation.optional() }).refine(
    ({ password, confirmPassword }) => confirmPassword === undefined || confirmPassword === password,
    onConfirmation,
  ),
)
export type Registration = z.infer<typeof Registration>

/** The sign-up form, where the confirmation is required. */
export const RegistrationForm = request({ ...registrationFields, confirmPassword: confirmation }).refine(
  ({ password, confirmPassword }) => confirmPassword === password,
  onConfirmation,
)

/** POST /api/login */
export const Credentials = namedRequest('Credentials', {
  email: email('Please enter a valid email'),
  // Only a limit: the rules for new passwords would help an attacker guess.
  password: z.string({ error: 'Password is required' }).min(1, 'Password is required').max(500, 'Password is too long'),
})
export type Credentials = z.infer<typeof Credentials>

/** POST /api/user/change-password */
export const PasswordChange = component(
  'PasswordChange',
  request({
    currentPassword: z
      .string({ error: 'Current password is required' })
      .min(1, 'Current password is required')
      .max(500, 'Current password is too long'),
    newPassword: newPassword('New password'),
    confirmPassword: z.string({ error: DIFFERENT }),
  }).refine(({ newPassword, confirmPassword }) => confirmPassword === newPassword, onConfirmation),
)
export type PasswordChange = z.infer<typeof PasswordChange>

/** POST /api/forgot-password */
export const PasswordForgotten = namedRequest('PasswordForgotten', {
  email: email('Please enter a valid email address'),
})
export type PasswordForgotten = z.infer<typeof PasswordForgotten>

/** POST /api/reset-password */
export const PasswordReset = namedRequest('PasswordReset', {
  token: secret(500, INVALID_RESET_TOKEN),
  password: newPassword('Password'),
})
export type PasswordReset = z.infer<typeof PasswordReset>

/** The reset form; its token comes from the URL. */
export const PasswordResetForm = request({
  password: newPassword('Password'),
  confirmPassword: z
    .string({ error: 'Password must be at least 8 characters' })
    .min(8, 'Password must be at least 8 characters'),
}).refine(({ password, confirmPassword }) => confirmPassword === password, onConfirmation)

/** An open session, as shown to its owner and to administrators. */
export const OpenSession = namedObject('OpenSession', {
  id: z.string(),
  /** In words: 'Firefox on Windows'. */
  browser: z.string(),
  address: z.string(),
  since: z.iso.datetime(),
  lastSeen: z.iso.datetime(),
  /** Whether it is the session of this request. */
  current: z.boolean(),
})
export type OpenSession = z.infer<typeof OpenSession>

export const INVALID_ACCESS_KEY = 'Invalid access key'

/** POST /api/admin/login */
export const AdminCredentials = namedRequest('AdminCredentials', { accessKey: secret(500, INVALID_ACCESS_KEY) })
export type AdminCredentials = z.infer<typeof AdminCredentials>

/**
 * Signed in with an access key; `id` is the member of staff, `label` their name, `permissions` what their role may do.
 */
export const SignedInAdmin = namedObject('SignedInAdmin', {
  isAdmin: z.literal(true),
  id: z.string(),
  role: AdminRole,
  label: z.string(),
  permissions: z.array(z.string()),
  mailFolder: described(
    'The folder into which mails are written, for want of a mail server; else null',
    z.string().nullable(),
  ),
})
export type SignedInAdmin = z.infer<typeof SignedInAdmin>

/** GET /api/admin/auth */
export const AdminAuth = component(
  'AdminAuth',
  z.discriminatedUnion('isAdmin', [SignedInAdmin, z.object({ isAdmin: z.literal(false) })]),
)
export type AdminAuth = z.infer<typeof AdminAuth>

const sessionQuery = request({
  id: described(
    'Only the session with this id, if it is open; without it, all but the one in use',
    z.string(INVALID).optional(),
  ),
})

/** The calls about signing in and out, passwords and open sessions. */
export const signInRoutes = {
  register: post('/api/register', 'public', {
    summary: 'Register, open a trading account and sign in',
    body: Registration,
    position: 'answers',
    answer: answer('The new user, signed in', User),
    status: 201,
    refuses: { ...conflict, ...throttled },
  }),
  login: post('/api/login', 'public', {
    ofSession: true,
    summary: "Sign in as a trader; with a second factor, 401 'second-factor-required' until that follows",
    body: Credentials,
    answer: answer('The signed-in user', User),
    refuses: { ...traderRefusals, ...throttled, 401: refusal('Wrong email or password') },
  }),
  signInChoice: get('/api/login/factor', 'public', {
    summary: 'How to take the second step of a sign-in',
    answer: answer('The choice, with a challenge for a passkey', FactorChoice),
    refuses: { 401: refusal('No sign-in waits for a second step') },
  }),
  signInFactor: post('/api/login/factor', 'public', {
    ofSession: true,
    summary: 'The second step of a sign-in: a passkey, or a code of the authenticator app or of the recovery codes',
    body: FactorProof,
    answer: answer('The signed-in user', User),
    refuses: { ...traderRefusals, ...conflict, ...throttled, 401: refusal('No sign-in waits for a second step') },
  }),
  passkeySignInRequest: get('/api/login/passkey', 'public', {
    summary: 'What a browser needs to sign a trader in with a passkey alone',
    answer: answer('Options for navigator.credentials.get()', PasskeyRequest),
    refuses: conflict,
  }),
  passkeySignIn: post('/api/login/passkey', 'public', {
    ofSession: true,
    summary: 'Sign in as a trader with a passkey alone',
    body: PasskeySignIn,
    answer: answer('The signed-in user', User),
    refuses: { ...traderRefusals, ...conflict, ...throttled, 401: refusal('The passkey is not known here') },
  }),
  logout: post('/api/logout', 'public', { ofSession: true, summary: 'End the session, if any' }),
  forgotPassword: post('/api/forgot-password', 'public', {
    // No position, though an event may be appended: it would reveal whether the address is known.
    summary: 'Request a link to reset the password; the answer is the same for unknown addresses',
    body: PasswordForgotten,
    refuses: throttled,
  }),
  resetPassword: post('/api/reset-password', 'public', {
    summary: 'Set a new password with the token of a mailed link; ends every session',
    body: PasswordReset,
    position: 'answers',
    refuses: { ...conflict, ...throttled },
  }),
  revertEmail: post('/api/revert-email', 'public', {
    summary:
      'Take a change of email back with the token mailed to the address before; ends every session and mails a link to set a password',
    body: EmailRevert,
    position: 'answers',
    refuses: { ...conflict, ...throttled },
  }),
  confirmEmail: post('/api/confirm-email', 'public', {
    summary: 'Confirm an address with the token that was mailed to it',
    body: EmailConfirmation,
    position: 'answers',
    refuses: throttled,
  }),
  changePassword: post('/api/user/change-password', 'trader', {
    summary: 'Change the password; ends every other session',
    body: PasswordChange,
    refuses: { ...conflict, ...throttled },
  }),
  ownSessions: get('/api/user/sessions', 'trader', {
    summary: "The trader's own sessions, the last used first",
    answer: answer('The sessions', z.array(OpenSession)),
  }),
  endOwnSessions: del('/api/user/sessions', 'trader', {
    summary: "End one of the trader's own sessions, or all except this one",
    query: sessionQuery,
  }),
  adminLogin: post('/api/admin/login', 'public', {
    ofSession: true,
    summary: "Sign in with an access key; with a second factor, 401 'second-factor-required' until that follows",
    body: AdminCredentials,
    answer: answer('Signed in', SignedInAdmin),
    refuses: { 401: refusal('Invalid access key'), ...throttled },
  }),
  staffSignInChoice: get('/api/admin/login/factor', 'public', {
    summary: 'How to take the second step of a sign-in with an access key',
    answer: answer('The choice, with a challenge for a passkey', FactorChoice),
    refuses: { 401: refusal('No sign-in waits for a second step') },
  }),
  staffSignInFactor: post('/api/admin/login/factor', 'public', {
    ofSession: true,
    summary: 'The second step of a sign-in with an access key',
    body: FactorProof,
    answer: answer('Signed in', SignedInAdmin),
    refuses: { 401: refusal('No sign-in waits for a second step'), ...conflict, ...throttled },
  }),
  adminAuth: get('/api/admin/auth', 'public', {
    summary: 'The access key of this session, if any',
    answer: answer('The access key', AdminAuth),
  }),
  adminLogout: post('/api/admin/logout', 'public', {
    ofSession: true,
    summary: "End the access key's session; without one, nothing happens",
  }),
  staffSessions: get('/api/admin/auth/sessions', 'own-sessions', {
    summary: 'The sessions of the own access key, the last used first',
    answer: answer('The sessions', z.array(OpenSession)),
  }),
  endStaffSessions: del('/api/admin/auth/sessions', 'own-sessions', {
    summary: 'End a session of the own access key, or all except this one',
    query: sessionQuery,
  }),
  userSessions: get('/api/admin/user/:id/sessions', 'read', {
    summary: "A user's sessions, the last used first",
    params: userPath,
    position: 'waits',
    answer: answer('The sessions', z.array(OpenSession)),
  }),
  endUserSessions: del('/api/admin/user/:id/sessions', 'ban-users', {
    summary: 'End every session of a user; the user sees it in the history',
    params: userPath,
    refuses: conflict,
  }),
}
