import { fieldFailure } from '#services/api/error-schemas.ts'
import { userRoutes } from '../user-api.ts'
import { signInRoutes } from '#services/modules/sign-in/sign-in-api.ts'
import { noticeRoutes } from '#services/modules/notices/notice-api.ts'
import {
  type ActiveEmailClaim,
  assertUserExists,
  changePassword,
  changeProfile,
  chooseNotices,
  type ProfileChange,
  type User,
  type UserEvent,
} from '../user.ts'
import { seeNotices } from '#services/modules/notices/notice.ts'
import type { UserId } from '#services/modules/ids.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import { HttpError } from '#services/http/http-errors.ts'
import { done } from '#services/authentication/serve-route.ts'
import type { Context } from '#services/event-sourcing/codec/metadata.ts'
import type { CommandDependencies, RegisterCommand } from '#services/command/command-dependencies.ts'
import { changeCredentials } from '#services/authentication/ended-sessions.ts'
import { createPasswordLink, EMAIL_REVERT_LIFETIME } from '#services/authentication/password-link-tokens.ts'
import { assertPasswordAllowed } from '#services/authentication/password-rules.ts'

/** Traders' changes to themselves (specification §5, §7). */
export function registerProfileCommands(register: RegisterCommand, parts: CommandDependencies): void {
  const { users, notices, stepUp, throttle, passwords, passwordWork } = parts

  register(userRoutes.changeProfile, async ({ caller, body, context, request }) => {
    const { email, country, city, street, houseNumber } = body
    const { userId } = caller
    const isNewEmail = email !== undefined && email !== (await users.load(userId)).state.email
    if (isNewEmail) await stepUp.assertConfirmed({ caller, request })
    const tried = await throttle.attempt(['profilePerson', userId], ...(isNewEmail ? [['emailPerson', userId] as const] : []))
    const { position, changed } = await changeUserProfile(userId, { email, country, city, street, houseNumber }, context, parts)
    if (!changed) await tried.refund()
    return done(position)
  })

  register(noticeRoutes.changeNotices, async ({ caller: { userId }, body: { muted, seenUpTo }, context }) => {
    const tried = await throttle.attempt(['profilePerson', userId])
    const chosen = muted && (await users.decide(userId, context, (user) => chooseNotices(user, muted)))
    // Looking costs nothing: only a changed choice counts.
    if (!chosen?.events.length) await tried.refund()
    const seen = seenUpTo === undefined ? undefined : await notices.decide(userId, context, (state) => seeNotices(state, seenUpTo))
    return done((seen ?? chosen)?.position)
  })

  register(signInRoutes.changePassword, async ({ caller, body, context, request, response }) => {
    const { userId } = caller
    // The password alone must not confirm a session of a person with a second factor.
    await stepUp.assertConfirmed({ caller, request })
    const { checked, passwordHash } = await passwordWork(request, async () => {
      const tried = await throttle.attempt(['passwordAccount', userId])
      const { state } = await users.load(userId)
      if (!(await passwords.verify(body.currentPassword, state.passwordHash)) || state.passwordHash === null)
        throw new HttpError(400, fieldFailure('currentPassword', 'Your current password is not correct'))
      await tried.refund()
      await assertPasswordAllowed(body.newPassword, state, 'newPassword')
      return { checked: state.passwordHash, passwordHash: await passwords.hash(body.newPassword) }
    })
    const change = (user: User) => changePassword(user, checked, passwordHash)
    const { position } = await changeCredentials(parts, { caller, response }, () => users.decide(userId, context, change))
    return done(position)
  })
}

/**
 * Changes a profile. The address before a change of email is offered a link that takes it back.
 *
 * @throws {Refused} conflict, when the email is in use.
 */
export async function changeUserProfile(userId: UserId, wanted: ProfileChange, context: Context, parts: CommandDependencies) {
  const revert = createPasswordLink(userId, parts.now() + EMAIL_REVERT_LIFETIME)
  const { events, position } = await decideWithEmail(userId, context, parts, {
    email: () => wanted.email,
    decide: (user, claim) => changeProfile(user, wanted, claim, revert),
  })
  return { position, changed: events.length > 0 }
}

interface EmailDecision {
  /** The email that the user then has; undefined when it stays. */
  readonly email: (user: User) => string | undefined
  /** `claim` is on the new email, null when the user has it already. */
  readonly decide: (user: User, claim: ActiveEmailClaim | null) => UserEvent[]
}

/**
 * Decides on a user whose email may change: claims the new one before the decision and releases the old one after it.
 *
 * @throws {Refused} conflict, when the email is in use.
 */
export async function decideWithEmail(userId: UserId, context: Context, { users, addresses }: CommandDependencies, { email, decide }: EmailDecision) {
  for (let beginning = 1; beginning <= MAX_ATTEMPTS; beginning++) {
    const { state: before } = await users.load(userId)
    assertUserExists(before)
    const wanted = email(before)
    const claim = wanted === undefined || wanted === before.email ? null : await addresses.claim(userId, wanted, context)
    try {
      const decided = await users.decide(userId, context, (user) => {
        // A claim is valid only for the state it was made for: in another state its address may be released already.
        if (wanted !== undefined && user !== before) throw new ConcurrentChange()
        return decide(user, claim)
      })
      const { state, position } = decided
      if (before.emailClaim && before.emailClaim !== state.emailClaim) await addresses.release(userId, before.emailClaim, context, position)
      return decided
    } catch (error) {
      if (!(error instanceof ConcurrentChange)) throw error
    }
  }
  throw new Refused('conflict', 'Your profile was changed at the same moment. Please try again.')
}

/** How often a change of email is attempted while the user changes concurrently. */
const MAX_ATTEMPTS = 12

class ConcurrentChange extends Error {
  override readonly name = 'ChangedMeanwhile'
}
