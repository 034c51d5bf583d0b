import { component, namedObject } from '#services/framework/api/openapi-component.ts'
import { code, INVALID, namedRequest, request, requiredText } from '#services/framework/api/text.ts'
import { plainCharacters } from '#services/framework/api/plain-characters.ts'
import { z } from 'zod'

/** The second step of a sign-in. Every page imports this, and not the calls about second factors. */

/**
 * A person proves their identity with a second factor; a person without one, with the password or access key of the
 * sign-in.
 */
export const FactorKind = component(
  'FactorKind',
  z.enum(['passkey', 'authenticator', 'recovery-code', 'password', 'access-key']),
)
export type FactorKind = z.infer<typeof FactorKind>

export const credential = z.object({ id: z.string(), type: z.literal('public-key') })

/** For navigator.credentials.get(), in its JSON form. */
export const PasskeyRequest = namedObject('PasskeyRequest', {
  challenge: z.string(),
  rpId: z.string(),
  allowCredentials: z.array(credential),
  userVerification: z.literal('required'),
  timeout: z.int().min(0),
})
export type PasskeyRequest = z.infer<typeof PasskeyRequest>

/** How a person can take the second step of a sign-in, or confirm who they are. */
export const FactorChoice = namedObject('FactorChoice', {
  factors: z.array(FactorKind),
  passkey: PasskeyRequest.nullable(),
})
export type FactorChoice = z.infer<typeof FactorChoice>

/** Binary data of a passkey: base64url. */
export const bytes = (longest: number) => code(/^[\w-]+$/, longest)
export const credentialFields = {
  id: bytes(2_000),
  rawId: bytes(2_000),
  type: z.literal('public-key', { error: INVALID }),
}

/** The result of navigator.credentials.get(). */
export const assertion = request({
  ...credentialFields,
  response: request({
    clientDataJSON: bytes(5_000),
    authenticatorData: bytes(10_000),
    signature: bytes(5_000),
    userHandle: bytes(200).optional(),
  }),
})
export type PasskeyAssertion = z.infer<typeof assertion>

/**
 * As keyboards of all scripts write it. One with other letters is told before it counts as a guess: the layout of the
 * keyboard is another.
 */
export const factorCode = () =>
  requiredText(40, 'Please enter the code')
    .overwrite(plainCharacters)
    .refine((code) => !/[^a-z\P{L}]/iu.test(code), {
      error: 'A code has Latin letters only. Please change the layout of your keyboard, and type it again',
    })

/** POST /api/login/passkey */
export const PasskeySignIn = namedRequest('PasskeySignIn', { passkey: assertion })

/** POST /api/login/factor, /api/admin/login/factor: one of them. The code is the app's or a recovery code. */
export const FactorProof = namedRequest('FactorProof', { passkey: assertion.optional(), code: factorCode().optional() })
export type FactorProof = z.infer<typeof FactorProof>
