import { z } from 'zod'
import { eachProfileField } from '#services/modules/users/profile.ts'
import { component, components, namedObject } from '#services/api/openapi-component.ts'
import { addressLines, email, fullName, INVALID, namedRequest, newPassword, request, requiredText, secret, trimmedText } from '#services/api/text.ts'
import { adminRoles } from '#services/api/vocabulary.ts'

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

/** PATCH /api/user/profile: these five fields only; an absent one is unchanged. */
export const ProfileChanges = namedRequest('ProfileChanges', {
  email: email('Please enter a valid email').optional(),
  ...addressLines((longest) => trimmedText(longest).optional()),
})
export type ProfileChanges = z.infer<typeof ProfileChanges>

/** POST /api/user/change-password */
export const PasswordChange = component(
  'PasswordChange',
  request({
    currentPassword: z.string({ error: 'Current password is required' }).min(1, 'Current password is required').max(500, 'Current password is too long'),
    newPassword: newPassword('New password'),
    confirmPassword: z.string({ error: DIFFERENT }),
  }).refine(({ newPassword, confirmPassword }) => confirmPassword === newPassword, onConfirmation),
)
export type PasswordChange = z.infer<typeof PasswordChange>

/** POST /api/forgot-password */
export const PasswordForgotten = namedRequest('PasswordForgotten', { email: email('Please enter a valid email address') })
export type PasswordForgotten = z.infer<typeof PasswordForgotten>

/** The message for a missing or invalid token of a reset link. */
export const INVALID_RESET_TOKEN = 'Invalid reset token'

/** POST /api/reset-password */
export const PasswordReset = namedRequest('PasswordReset', { token: secret(500, INVALID_RESET_TOKEN), password: newPassword('Password') })
export type PasswordReset = z.infer<typeof PasswordReset>

/** POST /api/revert-email */
export const EmailRevert = namedRequest('EmailRevert', { token: secret(500, INVALID_RESET_TOKEN) })
export type EmailRevert = z.infer<typeof EmailRevert>

/** The reset form; its token comes from the URL. */
export const PasswordResetForm = request({
  password: newPassword('Password'),
  confirmPassword: z.string({ error: 'Password must be at least 8 characters' }).min(8, 'Password must be at least 8 characters'),
}).refine(({ password, confirmPassword }) => confirmPassword === password, onConfirmation)

/** A user as shown to themselves and to administrators. Never a password, a hash or a token. */
export const User = namedObject('User', {
  id: z.string(),
  // Plain texts: after a deletion they read 'erased'.
  ...eachProfileField(() => z.string()),
  privacyPolicyAgreed: z.boolean(),
  banned: z.boolean(),
  banReason: z.string().nullable(),
  createdAt: z.iso.datetime(),
})
export type User = z.infer<typeof User>

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

export const AdminRole = component('AdminRole', z.enum(adminRoles, { error: INVALID }))
export type AdminRole = z.infer<typeof AdminRole>

/** Signed in with an access key; `id` is the member of staff, `label` their name. */
export const SignedInAdmin = namedObject('SignedInAdmin', { isAdmin: z.literal(true), id: z.string(), role: AdminRole, label: z.string() })
export type SignedInAdmin = z.infer<typeof SignedInAdmin>

/** GET /api/admin/auth */
export const AdminAuth = component('AdminAuth', z.discriminatedUnion('isAdmin', [SignedInAdmin, z.object({ isAdmin: z.literal(false) })]))
export type AdminAuth = z.infer<typeof AdminAuth>
