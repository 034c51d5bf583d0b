import {
  userStreams,
  type ActiveEmailClaim,
  assertUserExists,
  changeProfile,
  requestEmailConfirmation,
  type ProfileChange,
  type User,
  type UserEvent,
} from '../user.ts'
import type { userRoutes } from '../user-api.ts'
import type { UserId } from '#services/framework/ids.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import { fieldFailure } from '#services/framework/api/error-schemas.ts'
import { HttpError } from '#services/framework/http/http-errors.ts'
import { done } from '#services/framework/http/serve-route.ts'
import type { Context } from '#services/event-sourcing/codec/metadata.ts'
import type { IdentityParts } from '#services/identity/parts.ts'
import type { Commands } from '#services/framework/module.ts'
import { createPasswordLink, EMAIL_REVERT_LIFETIME } from './password-link-tokens.ts'

/** Traders' changes to themselves (specification §5, §7). */
export function profileCommands(parts: IdentityParts['commands']) {
  const { repositories, stepUp, ownsSecondFactor, throttle, passwords, passwordWork } = parts
  const users = repositories.of(userStreams)

  return {
    changeProfile: async ({ caller, body, context, request }) => {
      const { email, country, city, street, houseNumber, currentPassword } = body
      const { userId } = caller
      const { state } = await users.load(userId)
      const isNewEmail = email !== undefined && email !== state.email
      if (isNewEmail) await stepUp.assertConfirmed({ caller, request })
      const isConfirmed = isNewEmail && (await ownsSecondFactor(caller))
      if (isNewEmail && !isConfirmed && currentPassword !== undefined)
        await passwordWork(request, async () => {
          const counted = await throttle.attempt(['passwordAccount', userId])
          if (!(await passwords.verify(currentPassword, state.passwordHash)))
            throw new HttpError(400, fieldFailure('currentPassword', 'Your current password is not correct'))
          await counted.refund()
        })
      const tried = await throttle.attempt(
        ['profilePerson', userId],
        ...(isNewEmail ? [['emailPerson', userId] as const] : []),
      )
      const { position, changed } = await changeUserProfile(
        userId,
        { email, country, city, street, houseNumber },
        context,
        parts,
        { withoutPassword: !isConfirmed && currentPassword === undefined },
      )
      if (!changed) await tried.refund()
      return done(position)
    },

    requestEmailConfirmation: async ({ caller: { userId }, context }) => {
      await throttle.attempt(['emailPerson', userId])
      return done((await users.decide(userId, context, requestEmailConfirmation)).position)
    },
  } satisfies Partial<Commands<typeof userRoutes>>
}

/**
 * Changes a profile. The address before a change of email is offered a link that takes it back.
 *
 * @throws {Refused} conflict, when the email is in use.
 */
export async function changeUserProfile(
  userId: UserId,
  wanted: ProfileChange,
  context: Context,
  parts: IdentityParts['commands'],
  { withoutPassword = false }: { readonly withoutPassword?: boolean } = {},
) {
  const revert = createPasswordLink(userId, parts.now() + EMAIL_REVERT_LIFETIME)
  const { events, position } = await decideWithEmail(userId, context, parts, {
    email: () => wanted.email,
    decide: (user, claim) => changeProfile(user, wanted, claim, revert, withoutPassword),
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
 * Decides on a user whose email may change: claims the new one before the decision; a policy releases the old one after it.
 *
 * @throws {Refused} conflict, when the email is in use.
 */
export async function decideWithEmail(
  userId: UserId,
  context: Context,
  { repositories, addresses, react }: IdentityParts['commands'],
  { email, decide }: EmailDecision,
) {
  const users = repositories.of(userStreams)
  for (let beginning = 1; beginning <= MAX_ATTEMPTS; beginning++) {
    const { state: before } = await users.load(userId)
    assertUserExists(before)
    const wanted = email(before)
    const claim =
      wanted === undefined || wanted === before.email ? null : await addresses.claim(userId, wanted, context)
    try {
      const decided = await users.decide(userId, context, (user) => {
        // A claim is valid only for the state it was made for: in another state its address may be released already.
        if (wanted !== undefined && user !== before) throw new ConcurrentChange()
        return decide(user, claim)
      })
      return { ...decided, position: await react(decided) }
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
