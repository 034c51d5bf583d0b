import { email } from '#services/framework/api/email-address.ts'
import { component, described, namedObject } from '#services/framework/api/openapi-component.ts'
import { answer, conflict, del, patch, post, throttled, userPath } from '#services/framework/api/route.ts'
import {
  addressLines,
  fullName,
  LONGEST_NOTE,
  LONGEST_TEXT,
  missingOrInvalid,
  namedRequest,
  note,
  passwordText,
  request,
  secret,
  trimmedText,
} from '#services/framework/api/text.ts'
import { eachProfileField } from './user-vocabulary.ts'
import { z } from 'zod'

/** Users as administrators see and change them (specification §5, §7). */

/** A user as shown to themselves and to administrators. Never a password, a hash or a token. */
export const User = namedObject('User', {
  id: z.string(),
  // Plain texts: after a deletion they read 'erased'.
  ...eachProfileField(() => z.string()),
  /** Whether the person has shown to read the mails to this address. */
  emailConfirmed: z.boolean(),
  privacyPolicyAgreed: z.boolean(),
  banned: z.boolean(),
  banReason: z.string().nullable(),
  createdAt: z.iso.datetime(),
})
export type User = z.infer<typeof User>

/** A user at a moment. */
export const AuditUser = namedObject('AuditUser', { ...User.shape, deleted: z.boolean() })

/** PATCH /api/user/profile: these five fields only; an absent one is unchanged. */
const profileChanges = {
  email: email('Please enter a valid email').optional(),
  ...addressLines((longest: number) => trimmedText(longest).optional()),
}

export const ProfileChanges = namedRequest('ProfileChanges', {
  ...profileChanges,
  currentPassword: described(
    'For a new email of somebody without a second factor. Without it the change is marked in the history.',
    passwordText(LONGEST_TEXT).optional(),
  ),
})
export type ProfileChanges = z.infer<typeof ProfileChanges>

/** The message for a missing or invalid token of a reset link. */
export const INVALID_RESET_TOKEN = 'Invalid reset token'

/** POST /api/revert-email */
export const EmailRevert = namedRequest('EmailRevert', { token: secret(500, INVALID_RESET_TOKEN) })
export type EmailRevert = z.infer<typeof EmailRevert>

/** POST /api/confirm-email */
export const EmailConfirmation = namedRequest('EmailConfirmation', { token: secret(500, INVALID_RESET_TOKEN) })
export type EmailConfirmation = z.infer<typeof EmailConfirmation>

/** POST /api/admin/users: the user sets a password by a mailed link. */
export const NewUser = namedRequest('NewUser', {
  fullName: fullName(),
  email: email('Please enter a valid email'),
  ...addressLines((longest) => trimmedText(longest).default('')),
})

/** PATCH /api/admin/user/:id: an absent field is unchanged. */
export const UserChanges = namedRequest('UserChanges', {
  fullName: fullName().optional(),
  ...profileChanges,
})

/** PATCH /api/admin/user/:id/ban */
export const Ban = component(
  'Ban',
  request({
    banned: z.boolean({ error: missingOrInvalid }),
    banReason: note(LONGEST_NOTE).nullish(),
  }).refine(({ banned, banReason }) => !banned || (banReason ?? '').trim() !== '', {
    error: 'Please provide a reason for banning this user',
    path: ['banReason'],
  }),
)

/** The calls about users. */
export const userRoutes = {
  changeProfile: patch('/api/user/profile', 'trader', {
    summary: 'Change email or address; absent fields are unchanged',
    body: ProfileChanges,
    refuses: { ...conflict, ...throttled },
  }),
  requestEmailConfirmation: post('/api/user/confirm-email', 'trader', {
    summary: 'Mail the link that confirms the own address once more',
    refuses: throttled,
  }),
  createUser: post('/api/admin/users', 'change-accounts', {
    summary: 'Create a user with a trading account; the user sets a password by a mailed link',
    body: NewUser,
    answer: answer('The new user', User),
    status: 201,
    refuses: conflict,
  }),
  changeUser: patch('/api/admin/user/:id', 'edit-users', {
    summary: "Change a user's name, email or address; what is not sent stays as it is",
    params: userPath,
    body: UserChanges,
    refuses: conflict,
  }),
  sendPasswordLink: post('/api/admin/user/:id/password-link', 'help-sign-in', {
    summary: 'Mail a user another link to set a password; links that were sent before stay valid',
    params: userPath,
  }),
  deleteUser: del('/api/admin/user/:id', 'delete-users', {
    summary: 'Delete a user: ends sessions, frees the email and erases personal data for good',
    params: userPath,
    refuses: conflict,
  }),
  banUser: patch('/api/admin/user/:id/ban', 'ban-users', {
    summary: 'Ban a user with a reason, or unban one',
    params: userPath,
    body: Ban,
    refuses: conflict,
  }),
}
