import { fieldFailure } from '#services/framework/api/error-schemas.ts'
import { changeCredentials } from '#services/identity/authentication/ended-sessions.ts'
import { assertPasswordAllowed } from './password-rules.ts'
import { done } from '#services/framework/http/serve-route.ts'
import { HttpError } from '#services/framework/http/http-errors.ts'
import type { IdentityParts } from '#services/identity/parts.ts'
import type { Commands } from '#services/framework/module.ts'
import { changePassword, type User, userStreams } from '#services/identity/users/user.ts'
import type { signInRoutes } from '../sign-in-api.ts'

/** A trader's change of the password (specification §5). */
export function passwordCommands(parts: IdentityParts['commands']) {
  const { repositories, stepUp, throttle, passwords, passwordWork } = parts
  const users = repositories.of(userStreams)
  return {
    changePassword: async ({ caller, body, context, request, response }) => {
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
      const { position } = await changeCredentials(parts, { caller, response }, () =>
        users.decide(userId, context, change),
      )
      return done(position)
    },
  } satisfies Partial<Commands<typeof signInRoutes>>
}
