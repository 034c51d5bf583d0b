import { newBytes } from '#services/identity/authentication/random-id.ts'
import { fieldFailure } from '#services/framework/api/error-schemas.ts'
import { done } from '#services/framework/http/serve-route.ts'
import { HttpError } from '#services/framework/http/http-errors.ts'
import type { IdentityParts } from '#services/identity/parts.ts'
import { apiKeyIdOf } from './program-access.ts'
import type { Commands } from '#services/framework/module.ts'
import type { apiKeyRoutes } from '../api-key-api.ts'
import { issueApiKey, apiKeyStreams, revokeApiKey } from '../api-key.ts'

/** Makes and revokes keys of programs. A key is in one answer, and never stored. */
export function apiKeyCommands({
  repositories,
  secrets,
  stepUp,
  now,
  log,
}: IdentityParts['commands']): Commands<typeof apiKeyRoutes> {
  const keys = repositories.of(apiKeyStreams)
  return {
    makeApiKey: async ({ body: { name, scopes, expiresAt }, caller, context, request }) => {
      await stepUp.assertConfirmed({ caller, request })
      const expires = Date.parse(expiresAt)
      if (expires <= now()) throw new HttpError(400, fieldFailure('expiresAt', 'Please choose a date in the future'))
      const key = `pdp_${newBytes(context, 'key of a program').toString('base64url')}`
      const keyHash = secrets.apiKeyHash(key)
      const id = apiKeyIdOf(keyHash)
      const { position, isRepeated } = await keys.decide(id, context, (state) =>
        issueApiKey(state, { name, scopes, keyHash, expiresAt: expires }),
      )
      log.info({ requestId: request.requestId, key: caller.id, program: id, scopes }, 'key of a program made')
      return { status: 201, body: { id, ...(!isRepeated && { key }) }, position }
    },

    revokeApiKey: async ({ params, caller, context, request }) => {
      await stepUp.assertConfirmed({ caller, request })
      return done((await keys.decide(params.id, context, revokeApiKey)).position)
    },
  }
}
