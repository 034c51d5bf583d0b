import type { Route } from '#services/framework/api/route.ts'
import type { PasskeyRequest } from '#services/identity/second-factors/factor-proof-api.ts'
import type { PasskeyCreation } from '#services/identity/second-factors/second-factor-api.ts'
import { signInRoutes } from '#services/identity/sign-in/sign-in-api.ts'
import { ApiError } from '@/api/api-error.ts'
import { type Answering, get } from '@/api/api.ts'

/** Passkeys of this browser and its devices (WebAuthn). */

/** Loads with the first ceremony: most people who sign in have no passkey. */
const loadLibrary = () => import('@simplewebauthn/browser')
type Library = Awaited<ReturnType<typeof loadLibrary>>

/** Lets the person choose a passkey of this site, and signs with it. @throws {ApiError} */
export async function signForSignIn() {
  return signWith(await get(signInRoutes.passkeySignInRequest, {}))
}

/** Signs a request with a passkey. @throws {ApiError} when the browser has none for it, or the person declines. */
export function signWith(request: PasskeyRequest) {
  return inWords(
    ({ startAuthentication }) => startAuthentication({ optionsJSON: request }),
    'The passkey was not used. Try again, or choose another way.',
  )
}

/** Makes a passkey for the signed-in person, from the options that this call answers. @throws {ApiError} */
export async function createPasskey(call: Route & Answering<PasskeyCreation>) {
  const options = await get(call, {})
  return inWords(
    ({ startRegistration }) => startRegistration({ optionsJSON: options }),
    'The passkey was not created. Try again.',
  )
}

async function inWords<Result>(ceremony: (library: Library) => Promise<Result>, declined: string): Promise<Result> {
  const library = await loadLibrary().catch(() => {
    throw new ApiError(0, 'The code for passkeys could not be loaded. Please reload the page for its newest version.')
  })
  try {
    return await ceremony(library)
  } catch (error) {
    const isKnown =
      error instanceof Error && 'code' in error && error.code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED'
    throw new ApiError(0, isKnown ? 'This device already has a passkey for your account.' : declined)
  }
}
