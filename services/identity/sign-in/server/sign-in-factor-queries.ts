import { challengePurposes, passkeyRequest } from '#services/identity/second-factors/server/passkey-options.ts'
import { HttpError, noPendingSignIn } from '#services/framework/http/http-errors.ts'
import type { IdentityParts } from '#services/identity/parts.ts'
import type { Queries, Query } from '#services/framework/module.ts'
import { createFactorChoices } from '#services/identity/second-factors/server/factor-choice.ts'
import type { signInRoutes } from '../sign-in-api.ts'

/** A browser reads these for the second step of a sign-in, and for a sign-in with a passkey. */
export function signInFactorQueries(parts: IdentityParts['queries']) {
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
