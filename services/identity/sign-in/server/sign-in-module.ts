import type { IdentityParts } from '#services/identity/parts.ts'
import type { Commands, Module, Queries, Query } from '#services/framework/module.ts'
import { signInSubject } from '../sign-in-subject.ts'
import { sessionCommands } from './session-commands.ts'
import { sessionEndCommands } from './session-end-commands.ts'
import { sessionQueries } from './session-queries.ts'
import { staffSessionCommands } from './staff-session-commands.ts'
import { fieldFailure } from '#services/framework/api/error-schemas.ts'
import { changeCredentials } from '#services/identity/authentication/ended-sessions.ts'
import { assertPasswordAllowed } from './password-rules.ts'
import { done } from '#services/framework/http/serve-route.ts'
import { HttpError, noPendingSignIn } from '#services/framework/http/http-errors.ts'
import { changePassword, type User, userStreams } from '#services/identity/users/user.ts'
import type { signInRoutes } from '../sign-in-api.ts'
import { challengePurposes, passkeyRequest } from '#services/identity/second-factors/server/passkey-options.ts'
import { createFactorChoices } from '#services/identity/second-factors/server/factor-choice.ts'

export const signInModule: Module<typeof signInSubject, IdentityParts> = {
  subject: signInSubject,
  commands: (parts) => ({
    ...sessionCommands(parts),
    ...passwordCommands(parts),
    ...sessionEndCommands(parts),
    ...staffSessionCommands(parts),
  }),
  queries: (parts) => ({ ...sessionQueries(parts), ...signInFactorQueries(parts) }),
  erase: async (owner, _context, { sessions }) => {
    await sessions.endAll('trader', owner)
    // The reason of a ban is free text about the person.
    await sessions.suspend('trader', owner, null)
    return undefined
  },
}

/** A trader's change of the password (specification §5). */
function passwordCommands(parts: IdentityParts['commands']) {
  const { repositories, stepUp, throttle, passwords, passwordWork } = parts
  const users = repositories.of(userStreams)
  return {
    changePassword: async ({ caller, body, context, request, response }) => {
      const { userId } = caller
      // The password alone must not confirm a session of a person with a second factor.
      await stepUp.assertConfirmed({ caller, request })
      // The password is the new one already.
      if (await users.isRepeated(userId, context)) return done((await users.load(userId)).position)
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
      const { position } = await changeCredentials(parts, { caller, response }, () =>
        users.decide(userId, context, change),
      )
      return done(position)
    },
  } satisfies Partial<Commands<typeof signInRoutes>>
}

/** A browser reads these for the second step of a sign-in, and for a sign-in with a passkey. */
function signInFactorQueries(parts: IdentityParts['queries']) {
  const { relyingParty, signedTokens, pendingSignIns } = parts
  const { load, choiceOf } = createFactorChoices(parts)

  const choice = (kind: 'trader' | 'admin'): Query<ChoiceRoute> => ({
    needs: [],
    handle: async ({ request }) => {
      const pending = pendingSignIns.of(request, kind)
      if (!pending) throw noPendingSignIn()
      return { body: choiceOf(await load(pending), challengePurposes.secondStep(pending), []) }
    },
  })

  return {
    signInChoice: choice('trader'),
    staffSignInChoice: choice('admin'),
    passkeySignInRequest: {
      needs: [],
      handle: async () => {
        if (relyingParty.unusable !== null) throw new HttpError(409, { message: relyingParty.unusable })
        return { body: passkeyRequest(signedTokens, relyingParty, challengePurposes.signIn) }
      },
    },
  } satisfies Partial<Queries<typeof signInRoutes>>
}

type ChoiceRoute = (typeof signInRoutes)['signInChoice' | 'staffSignInChoice']
