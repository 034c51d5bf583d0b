import {
  banUser,
  createUser,
  deleteUser,
  firstAccount,
  requestPasswordReset,
  unbanUser,
  type User,
  type UserEvent,
  userStreams,
} from '../user.ts'
import type { userRoutes } from '../user-api.ts'
import type { UserId } from '#services/framework/ids.ts'
import { done } from '#services/framework/http/serve-route.ts'
import type { Context } from '#services/event-sourcing/codec/metadata.ts'
import { userResponse } from '../user-answer.ts'
import type { IdentityParts } from '#services/identity/parts.ts'
import type { Commands } from '#services/framework/module.ts'
import { changeUserProfile } from './profile-commands.ts'
import { createPasswordLink, newUserId, RESET_LINK_LIFETIME, WELCOME_LINK_LIFETIME } from './password-link-tokens.ts'
import type { SessionStore } from '#infra/session-store/session-store.ts'
import type { Repositories } from '#services/event-sourcing/aggregate-repository.ts'

/** Administrators' changes to users and their trading accounts (specification §6, §7). */
export function userCommands(parts: IdentityParts['commands']) {
  const { repositories, addresses, stepUp, react, now } = parts
  const users = repositories.of(userStreams)

  return {
    createUser: async ({ body, context }) => {
      const id = newUserId(context)
      await users.isRepeated(id, context)
      const claim = await addresses.claim(id, body.email, context)
      const creation = {
        ...body,
        emailClaim: claim.emailClaim,
        ...createPasswordLink(id, now() + WELCOME_LINK_LIFETIME),
      }
      return createUserWithAccount(id, context, (user) => createUser(user, creation, claim), parts)
    },

    changeUser: async ({ caller, params, body, context, request }) => {
      const { id } = params
      if (body.email !== undefined && body.email !== (await users.load(id)).state.email)
        await stepUp.assertConfirmed({ caller, request })
      const { position } = await changeUserProfile(id, body, context, parts)
      return done(position)
    },

    sendPasswordLink: async ({ params: { id }, context }) => {
      const { position } = await users.decide(id, context, (user) =>
        requestPasswordReset(
          user,
          createPasswordLink(id, now() + (user.passwordHash === null ? WELCOME_LINK_LIFETIME : RESET_LINK_LIFETIME)),
        ),
      )
      return done(position)
    },

    deleteUser: async ({ caller, params, context, request }) => {
      const { id } = params
      await stepUp.assertConfirmed({ caller, request })
      return done(await react(await users.decide(id, context, deleteUser)))
    },

    banUser: async ({ params, body, context }) => {
      const decide = (user: User) => (body.banned ? banUser(user, (body.banReason ?? '').trim()) : unbanUser(user))
      return done(await react(await users.decide(params.id, context, decide)))
    },
  } satisfies Partial<Commands<typeof userRoutes>>
}

/** Appends a new user with their first account, and opens it. A decision of nothing says that the user is there already. */
export async function createUserWithAccount(
  id: UserId,
  context: Context,
  decide: (user: User) => UserEvent[],
  { repositories, react }: Pick<IdentityParts['commands'], 'repositories' | 'react'>,
) {
  const created = await repositories.of(userStreams).decide(id, context, (user) => {
    const decided = decide(user)
    return decided.length > 0 ? [...decided, firstAccount(id)] : []
  })
  return { status: 201, body: userResponse(id, created.state), position: await react(created) } as const
}

/**
 * Suspends the sessions of a banned user, and lifts the suspension once the ban is lifted. The command does so and then
 * the worker; the slower one may have written an older decision, so each checks again after writing.
 */
export async function syncSuspension(
  id: string,
  { repositories, sessions }: { readonly repositories: Repositories; readonly sessions: SessionStore },
): Promise<void> {
  const user = repositories.of(userStreams)
  let { ban } = (await user.load(id)).state
  for (;;) {
    await sessions.suspend('trader', id, ban)
    const { state } = await user.load(id)
    if (state.ban?.reason === ban?.reason) return
    ban = state.ban
  }
}
