import { fieldFailure, routes } from '../api/index.ts'
import { changePassword, changeProfile, assertUserExists, type ProfileChange } from '../domain/user/user.ts'
import type { UserId } from '../domain/ids.ts'
import { Refused } from '../event-sourcing/refusal.ts'
import { HttpError } from '../http/http-errors.ts'
import { done } from '../http/serve-route.ts'
import type { Context } from '../event-sourcing/codec/metadata.ts'
import type { CommandDependencies, RegisterCommand } from './command-dependencies.ts'
import { hashPassword, isPassword } from './password-hash.ts'
import { assertPasswordAllowed } from './password-rules.ts'
import { takeAttempt } from './throttle.ts'

/** Traders' changes to themselves (specification §5, §7). */
export function registerProfileCommands(register: RegisterCommand, parts: CommandDependencies): void {
  const { users, sessions, throttle } = parts

  register(routes.changeProfile, async ({ caller, body, context }) => {
    const { email, country, city, street, houseNumber } = body
    const { userId } = caller
    const isNewEmail = email !== undefined && email !== (await users.load(userId)).state.email
    const tried = await takeAttempt([[throttle.profilePerson, userId], ...(isNewEmail ? ([[throttle.emailPerson, userId]] as const) : [])])
    const { position, changed } = await changeUserProfile(userId, { email, country, city, street, houseNumber }, context, parts)
    if (!changed) await tried.refund()
    return done(position)
  })

  register(routes.changePassword, async ({ caller, body, context, response }) => {
    const { userId, session } = caller
    const tried = await takeAttempt([[throttle.passwordAccount, userId]])
    const { state } = await users.load(userId)
    if (!(await isPassword(body.currentPassword, state.passwordHash)) || state.passwordHash === null)
      throw new HttpError(400, fieldFailure('currentPassword', 'Your current password is not correct'))
    await tried.refund()
    await assertPasswordAllowed(body.newPassword, state, 'newPassword')
    const checked = state.passwordHash
    const passwordHash = await hashPassword(body.newPassword)
    // Before and after, so that neither a crash in between nor a concurrent sign-in leaves another session alive.
    await sessions.endAll('trader', userId, session)
    const { position } = await users.decide(userId, context, (user) => changePassword(user, checked, passwordHash))
    await sessions.endAll('trader', userId, session)
    await sessions.renew(response, session)
    return done(position)
  })
}

/**
 * Changes a profile: claims a new email before the change and releases the old one after it.
 *
 * @throws {Refused} conflict, when the email is in use.
 */
export async function changeUserProfile(userId: UserId, wanted: ProfileChange, context: Context, { users, addresses }: CommandDependencies) {
  for (let beginning = 1; beginning <= MAX_ATTEMPTS; beginning++) {
    const { state: before } = await users.load(userId)
    assertUserExists(before)
    const newEmail = wanted.email !== undefined && wanted.email !== before.email ? wanted.email : undefined
    const claim = newEmail === undefined ? null : await addresses.claim(userId, newEmail, context)
    try {
      const { state, events, position } = await users.decide(userId, context, (user) => {
        // A claim is valid only for the state it was made for: in another state its address may be released already.
        if (wanted.email !== undefined && user !== before) throw new ConcurrentChange()
        return changeProfile(user, wanted, claim)
      })
      if (before.emailClaim && before.emailClaim !== state.emailClaim) await addresses.release(userId, before.emailClaim, context, position)
      return { position, changed: events.length > 0 }
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
