import { accountStreams } from '#services/trading/stream/account-aggregate.ts'
import {
  userStreams,
  banUser,
  createUser,
  deleteUser,
  firstAccount,
  unbanUser,
  type User,
  type UserEvent,
} from '../user.ts'
import type { userRoutes } from '../user-api.ts'
import { openAccount } from '#services/trading/stream/account.ts'
import { accountIdOf, type UserId } from '#services/framework/ids.ts'
import { done } from '#services/framework/http/serve-route.ts'
import type { Context } from '#services/event-sourcing/codec/metadata.ts'
import { holdBanned } from '#services/trading/accounts/server/ban-holds.ts'
import { syncSuspension } from './account-suspension.ts'
import { userResponse } from '../user-answer.ts'
import type { IdentityParts } from '#services/identity/parts.ts'
import type { Commands } from '#services/framework/module.ts'
import { changeUserProfile } from './profile-commands.ts'
import {
  createPasswordLink,
  newUserId,
  WELCOME_LINK_LIFETIME,
} from '#services/identity/authentication/password-link-tokens.ts'

/** Administrators' changes to users and their trading accounts (specification §6, §7). */
export function userCommands(parts: IdentityParts['commands']) {
  const { repositories, addresses, stepUp, eraseUser, sessionStore, now } = parts
  const users = repositories.of(userStreams)

  return {
    createUser: async ({ body, context }) => {
      const id = newUserId()
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

    deleteUser: async ({ caller, params, context, request }) => {
      const { id } = params
      await stepUp.assertConfirmed({ caller, request })
      const deleted = await users.decide(id, context, deleteUser)
      const causationId = deleted.eventIds.at(-1) ?? context.causationId
      return done(await eraseUser(id, { ...context, causationId }))
    },

    banUser: async ({ params, body, context }) => {
      const { id } = params
      const { events, eventIds, position } = await users.decide(id, context, (user) =>
        body.banned ? banUser(user, (body.banReason ?? '').trim()) : unbanUser(user),
      )
      await syncSuspension(id, { repositories, sessions: sessionStore })
      const ban = events.find(({ type, data }) => type === 'UserBanned' && data.from === null)
      if (!ban) return done(position)
      const causationId = eventIds.at(-1) ?? context.causationId
      return done((await holdBanned(id, ban.at, { ...context, causationId }, repositories)) ?? position)
    },
  } satisfies Partial<Commands<typeof userRoutes>>
}

/**
 * Appends a new user with their first account, then opens it; its event names the user's as its cause. A decision of
 * nothing says that the user is there already.
 */
export async function createUserWithAccount(
  id: UserId,
  context: Context,
  decide: (user: User) => UserEvent[],
  { repositories }: Pick<IdentityParts['commands'], 'repositories'>,
) {
  const users = repositories.of(userStreams)
  const accounts = repositories.of(accountStreams)
  const { state, eventIds } = await users.decide(id, context, (user) => {
    const decided = decide(user)
    return decided.length > 0 ? [...decided, firstAccount(id)] : []
  })
  const causationId = eventIds.at(-1) ?? context.causationId
  const account = accountIdOf(id, 1)
  const { position } = await accounts.decide(account, { ...context, causationId }, (state) =>
    openAccount(state.account, account),
  )
  return { status: 201, body: userResponse(id, state), position } as const
}
