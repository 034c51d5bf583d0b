import { z } from 'zod'
import { component, namedObject } from '#services/api/openapi-component.ts'
import { code, INVALID, namedRequest, request, requiredText } from '#services/api/text.ts'

/** Second factors: passkeys (WebAuthn level 3), an authenticator app (RFC 6238), recovery codes. */

const count = z.int().min(0)
const time = z.iso.datetime()

/** What a person can prove their identity with: besides second factors, for those who have none, what they signed in with. */
export const FactorKind = component('FactorKind', z.enum(['passkey', 'authenticator', 'recovery-code', 'password', 'access-key']))
export type FactorKind = z.infer<typeof FactorKind>

export const ListedPasskey = namedObject('Passkey', { id: z.string(), name: z.string(), addedAt: time, lastUsedAt: time.nullable() })

/** GET /api/user/factors, /api/admin/auth/factors. Never a key or a code. */
export const OwnFactors = namedObject('SecondFactors', {
  passkeys: z.array(ListedPasskey),
  /** Null while turned off. */
  authenticator: z.object({ since: time }).nullable(),
  /** Null while there are none. */
  recoveryCodes: z.object({ left: count, issuedAt: time }).nullable(),
  /** Why the portal's address allows no passkeys; null where it does. */
  passkeysUnusable: z.string().nullable(),
  /** The firm requires a second factor of this person. */
  required: z.boolean(),
})
export type OwnFactors = z.infer<typeof OwnFactors>

const credential = z.object({ id: z.string(), type: z.literal('public-key') })

/** For navigator.credentials.get(), in its JSON form. */
export const PasskeyRequest = namedObject('PasskeyRequest', {
  challenge: z.string(),
  rpId: z.string(),
  allowCredentials: z.array(credential),
  userVerification: z.literal('required'),
  timeout: count,
})
export type PasskeyRequest = z.infer<typeof PasskeyRequest>

/** For navigator.credentials.create(), in its JSON form. */
export const PasskeyCreation = namedObject('PasskeyCreation', {
  challenge: z.string(),
  rp: z.object({ id: z.string(), name: z.string() }),
  user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
  pubKeyCredParams: z.array(z.object({ alg: z.int(), type: z.literal('public-key') })),
  excludeCredentials: z.array(credential),
  authenticatorSelection: z.object({ residentKey: z.literal('required'), requireResidentKey: z.literal(true), userVerification: z.literal('required') }),
  attestation: z.literal('none'),
  timeout: count,
})
export type PasskeyCreation = z.infer<typeof PasskeyCreation>

/** How a person can take the second step of a sign-in, or confirm who they are. */
export const FactorChoice = namedObject('FactorChoice', { factors: z.array(FactorKind), passkey: PasskeyRequest.nullable() })
export type FactorChoice = z.infer<typeof FactorChoice>

/** GET …/factors/authenticator: a new key, which counts once a code proves that an app has it. */
export const AuthenticatorSetup = namedObject('AuthenticatorSetup', {
  /** Base32, to be typed. */
  key: z.string(),
  /** otpauth://…, for a QR code. */
  uri: z.string(),
  /** To be sent back with the first code. */
  setup: z.string(),
})
export type AuthenticatorSetup = z.infer<typeof AuthenticatorSetup>

/** Each works once. Shown once. */
export const RecoveryCodes = namedObject('RecoveryCodes', { codes: z.array(z.string()) })

/** Binary data of a passkey: base64url. */
const bytes = (longest: number) => code(/^[\w-]+$/, longest)
const credentialFields = { id: bytes(2_000), rawId: bytes(2_000), type: z.literal('public-key', { error: INVALID }) }

/** What navigator.credentials.create() returned; unknown fields are dropped. */
const createdPasskey = request({ ...credentialFields, response: request({ clientDataJSON: bytes(5_000), attestationObject: bytes(30_000) }) })
export type CreatedPasskey = z.infer<typeof createdPasskey>

/** What navigator.credentials.get() returned. */
const assertion = request({
  ...credentialFields,
  response: request({ clientDataJSON: bytes(5_000), authenticatorData: bytes(10_000), signature: bytes(5_000), userHandle: bytes(200).optional() }),
})
export type PasskeyAssertion = z.infer<typeof assertion>

const passkeyName = () => requiredText(60, 'Please enter a name')
const factorCode = () => requiredText(40, 'Please enter the code')

/** POST …/factors/passkeys */
export const NewPasskey = namedRequest('NewPasskey', { name: passkeyName(), passkey: createdPasskey })

/** PATCH …/factors/passkeys/:id */
export const PasskeyName = namedRequest('PasskeyName', { name: passkeyName() })

/** POST …/factors/authenticator */
export const NewAuthenticator = namedRequest('NewAuthenticator', { setup: z.string({ error: INVALID }).max(1_000, INVALID), code: factorCode() })

/** POST /api/login/passkey */
export const PasskeySignIn = namedRequest('PasskeySignIn', { passkey: assertion })

/** POST /api/login/factor, /api/admin/login/factor: one of them. The code is the app's or a recovery code. */
export const FactorProof = namedRequest('FactorProof', { passkey: assertion.optional(), code: factorCode().optional() })
export type FactorProof = z.infer<typeof FactorProof>

/** POST …/factors/confirmation: one of them. `secret` is the password or the access key, for a person without second factors. */
export const Confirmation = namedRequest('Confirmation', {
  passkey: assertion.optional(),
  code: factorCode().optional(),
  secret: z.string({ error: INVALID }).max(500, INVALID).optional(),
})
export type Confirmation = z.infer<typeof Confirmation>
