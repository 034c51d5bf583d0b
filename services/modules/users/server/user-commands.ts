import type { AccountChanges as AccountChangesBody } from '#services/modules/accounts/account-api.ts'
import { accountRoutes } from '#services/modules/accounts/account-api.ts'
import { userRoutes } from '../user-api.ts'
import { type AccountChanges, changeAccount, openAccount, showMasterPassword } from '#services/modules/accounts/account.ts'
import { type UserId, userId } from '#services/modules/ids.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import { banUser, createUser, deleteUser, unbanUser, type User, type UserEvent } from '../user.ts'
import { checkEvidence, type EventReference } from '#services/modules/accounts/decision-reason.ts'
import { HttpError } from '#services/http/http-errors.ts'
import { done } from '#services/authentication/serve-route.ts'
import type { Context } from '#services/event-sourcing/codec/metadata.ts'
import { eventNumber } from '#services/event-sourcing/codec/event-number.ts'
import { completeDeletion } from '#services/use-cases/user-deletion.ts'
import { syncSuspension } from './account-suspension.ts'
import { userResponse } from './user-answer.ts'
import type { CommandDependencies, RegisterCommand } from '#services/command/command-dependencies.ts'
import { changeUserProfile } from './profile-commands.ts'
import { createPasswordLink, newUserId, WELCOME_LINK_LIFETIME } from '#services/authentication/password-link-tokens.ts'

/** Administrators' changes to users and their trading accounts (specification §6, §7). */
export function registerUserCommands(register: RegisterCommand, parts: CommandDependencies): void {
  const { users, accounts, addresses, stepUp, throttle, now } = parts

  /** The event of an account at this log position; only the log knows its revision. */
  const eventAt = async (id: UserId, number: number): Promise<EventReference> => {
    for await (const event of accounts.readEvents(id)) if (eventNumber(event) === number) return { revision: event.revision, number }
    throw new Refused('not-found', `This account has no event ${number}`, 'corrects')
  }

  register(userRoutes.createUser, async ({ body, context }) => {
    const id = newUserId()
    const claim = await addresses.claim(id, body.email, context)
    const creation = { ...body, emailClaim: claim.emailClaim, ...createPasswordLink(id, now() + WELCOME_LINK_LIFETIME) }
    return createUserWithAccount(id, context, (user) => createUser(user, creation, claim), parts)
  })

  register(userRoutes.changeUser, async ({ caller, params, body, context, request }) => {
    const id = existingUserId(params.id)
    if (body.email !== undefined && body.email !== (await users.load(id)).state.email) await stepUp.assertConfirmed({ caller, request })
    const { position } = await changeUserProfile(id, body, context, parts)
    return done(position)
  })

  register(userRoutes.deleteUser, async ({ caller, params, context, request }) => {
    const id = existingUserId(params.id)
    await stepUp.assertConfirmed({ caller, request })
    const deleted = await users.decide(id, context, deleteUser)
    const causationId = deleted.eventIds.at(-1) ?? context.causationId
    return done(await completeDeletion(id, { ...context, causationId }, parts.deletion))
  })

  for (const route of [accountRoutes.setAccount, accountRoutes.changeAccount])
    register(route, async ({ params, body, context }) => {
      const id = existingUserId(params.id)
      const { reason, evidence, corrects: number } = body
      if (evidence) checkEvidence(evidence, now())
      const why = { reason, evidence, corrects: number ? await eventAt(id, number) : null }
      const { position } = await accounts.decide(id, context, (account) => changeAccount(account, changesOf(body), why))
      return done(position)
    })

  register(accountRoutes.showMasterPassword, async ({ params, context, caller, request }) => {
    const id = existingUserId(params.id)
    await stepUp.assertConfirmed({ caller, request })
    await throttle.attempt(['showPasswordMember', caller.id])
    // Recorded before it is answered.
    const { state, position } = await accounts.decide(id, context, showMasterPassword)
    return { body: { masterPassword: state.masterPassword ?? '' }, position }
  })

  register(userRoutes.banUser, async ({ params, body, context }) => {
    const id = existingUserId(params.id)
    const { position } = await users.decide(id, context, (user) => (body.banned ? banUser(user, (body.banReason ?? '').trim()) : unbanUser(user)))
    await syncSuspension(id, parts.deletion)
    return done(position)
  })
}

/** Appends a new user, then opens the account; its event names the user's as its cause. */
export async function createUserWithAccount(
  id: UserId,
  context: Context,
  decide: (user: User) => UserEvent[],
  { users, accounts }: Pick<CommandDependencies, 'users' | 'accounts'>,
) {
  const { state, eventIds } = await users.decide(id, context, decide)
  const causationId = eventIds.at(-1) ?? context.causationId
  const { position } = await accounts.decide(id, { ...context, causationId }, (account) => openAccount(account, id))
  return { status: 201, body: userResponse(id, state), position } as const
}

/** The user id in a URL. @throws {HttpError} 404 when it is malformed. */
export function existingUserId(id: string): UserId {
  const { data } = userId.safeParse(id)
  if (!data) throw new HttpError(404, { message: 'User not found' })
  return data
}

function changesOf({ reason: _reason, evidence: _evidence, corrects: _corrects, ...changes }: AccountChangesBody): AccountChanges {
  return changes
}
