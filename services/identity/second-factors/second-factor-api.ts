import { described, namedObject } from '#services/framework/api/openapi-component.ts'
import {
  answer,
  conflict,
  del,
  get,
  patch,
  post,
  type Route,
  throttled,
  userPath,
} from '#services/framework/api/route.ts'
import { INVALID, namedRequest, request, requiredText, secret } from '#services/framework/api/text.ts'
import { assertion, bytes, credential, credentialFields, FactorChoice, factorCode } from './factor-proof-api.ts'
import { removalQuestions } from './removal-vocabulary.ts'
import { z } from 'zod'

/** Second factors: passkeys (WebAuthn level 3), an authenticator app (RFC 6238), recovery codes. */

const count = z.int().min(0)
const time = z.iso.datetime()

export const ListedPasskey = namedObject('Passkey', {
  id: z.string(),
  name: z.string(),
  addedAt: time,
  lastUsedAt: time.nullable(),
})

/** All second factors end then, unless somebody stops it. */
export const FactorRemoval = namedObject('FactorRemoval', {
  question: described('The question that was answered', z.enum(removalQuestions)),
  dueAt: time,
})

/** GET /api/user/factors, /api/admin/auth/factors. Never a key or a code. */
export const OwnFactors = namedObject('SecondFactors', {
  passkeys: z.array(ListedPasskey),
  /** Null while turned off. */
  authenticator: z.object({ since: time }).nullable(),
  /** Null while there are none. */
  recoveryCodes: z.object({ left: count, issuedAt: time }).nullable(),
  removal: described('Staff were asked to remove them all; null without', FactorRemoval.nullable()),
  /** Why the portal's address allows no passkeys; null where it does. */
  passkeysUnusable: z.string().nullable(),
  /** The firm requires a second factor of this person. */
  required: z.boolean(),
})
export type OwnFactors = z.infer<typeof OwnFactors>

/** For navigator.credentials.create(), in its JSON form. */
export const PasskeyCreation = namedObject('PasskeyCreation', {
  challenge: z.string(),
  rp: z.object({ id: z.string(), name: z.string() }),
  user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
  pubKeyCredParams: z.array(z.object({ alg: z.int(), type: z.literal('public-key') })),
  excludeCredentials: z.array(credential),
  authenticatorSelection: z.object({
    residentKey: z.literal('required'),
    requireResidentKey: z.literal(true),
    userVerification: z.literal('required'),
  }),
  attestation: z.literal('none'),
  timeout: count,
})
export type PasskeyCreation = z.infer<typeof PasskeyCreation>

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
export const RecoveryCodes = namedObject('RecoveryCodes', {
  /** Left out where the request was sent again: they were in the first answer, and are kept nowhere. */
  codes: z.array(z.string()).optional(),
})

/** The result of navigator.credentials.create(); unknown fields are dropped. */
const createdPasskey = request({
  ...credentialFields,
  response: request({ clientDataJSON: bytes(5_000), attestationObject: bytes(30_000) }),
})
export type CreatedPasskey = z.infer<typeof createdPasskey>

const passkeyName = () => requiredText(60, 'Please enter a name')
/** POST …/factors/passkeys */
export const NewPasskey = namedRequest('NewPasskey', { name: passkeyName(), passkey: createdPasskey })

/** PATCH …/factors/passkeys/:id */
export const PasskeyName = namedRequest('PasskeyName', { name: passkeyName() })

/** POST …/factors/authenticator */
export const NewAuthenticator = namedRequest('NewAuthenticator', {
  setup: secret(1_000, INVALID),
  code: factorCode(),
})

/**
 * POST …/factors/confirmation: one of them. `secret` is the password or the access key, for a person without second
 * factors.
 */
export const Confirmation = namedRequest('Confirmation', {
  passkey: assertion.optional(),
  code: factorCode().optional(),
  secret: z.string({ error: INVALID }).max(500, INVALID).optional(),
})
export type Confirmation = z.infer<typeof Confirmation>

/** GET /api/admin/user/:id/factors */
export const UserFactors = namedObject('UserFactors', {
  present: described('Signing in needs a second factor', z.boolean()),
  removal: FactorRemoval.nullable(),
})

/** POST /api/admin/user/:id/factors/removal */
export const NewFactorRemoval = namedRequest('NewFactorRemoval', {
  question: z.enum(removalQuestions, { error: 'Please choose the question that was answered' }),
})

const passkeyPath = z.object({ id: described("The passkey's id", z.string()) })

/**
 * The calls about one's own second factors. Changes need a recent confirmation (403 'confirmation-required'); they end
 * all other sessions.
 */
const factorCalls = <const Owner extends string, const A extends 'trader' | 'own-sessions'>(
  owner: Owner,
  access: A,
  common: Pick<Route, 'beforeEnrolment'> = {},
) => ({
  factors: get(`/api/${owner}/factors` as const, access, {
    ...common,
    summary: 'The own second factors',
    answer: answer('The factors', OwnFactors),
  }),
  confirmationChoice: get(`/api/${owner}/factors/confirmation` as const, access, {
    ...common,
    summary: 'How the caller can confirm their identity',
    answer: answer('The choice, with a challenge for a passkey', FactorChoice),
  }),
  confirm: post(`/api/${owner}/factors/confirmation` as const, access, {
    ...common,
    ofSession: true,
    summary: 'Confirm who one is; this session counts as confirmed for 5 minutes',
    body: Confirmation,
    refuses: { ...conflict, ...throttled },
  }),
  passkeyCreation: get(`/api/${owner}/factors/passkeys` as const, access, {
    ...common,
    summary: 'What a browser needs to make a passkey',
    answer: answer('Options for navigator.credentials.create()', PasskeyCreation),
    refuses: conflict,
  }),
  addPasskey: post(`/api/${owner}/factors/passkeys` as const, access, {
    ...common,
    summary: 'Add a passkey',
    body: NewPasskey,
    refuses: conflict,
  }),
  renamePasskey: patch(`/api/${owner}/factors/passkeys/:id` as const, access, {
    ...common,
    summary: 'Rename a passkey',
    params: passkeyPath,
    body: PasskeyName,
    refuses: conflict,
  }),
  removePasskey: del(`/api/${owner}/factors/passkeys/:id` as const, access, {
    ...common,
    summary: 'Remove a passkey',
    params: passkeyPath,
    refuses: conflict,
  }),
  authenticatorSetup: get(`/api/${owner}/factors/authenticator` as const, access, {
    ...common,
    summary: 'A new key for an authenticator app (TOTP)',
    answer: answer('The key, which counts once a code is sent back', AuthenticatorSetup),
  }),
  turnOnAuthenticator: post(`/api/${owner}/factors/authenticator` as const, access, {
    ...common,
    summary: 'Turn on an authenticator app with its first code',
    body: NewAuthenticator,
    refuses: { ...conflict, ...throttled },
  }),
  turnOffAuthenticator: del(`/api/${owner}/factors/authenticator` as const, access, {
    ...common,
    summary: 'Turn off the authenticator app',
    refuses: conflict,
  }),
  issueRecoveryCodes: post(`/api/${owner}/factors/recovery-codes` as const, access, {
    ...common,
    summary: 'Make ten recovery codes, shown once; older ones no longer work',
    answer: answer('The codes', RecoveryCodes),
    refuses: conflict,
  }),
})

const ownFactors = factorCalls('user', 'trader')
/** A member of staff needs these calls to get the second factor that the firm requires. */
const staffFactors = factorCalls('admin/auth', 'own-sessions', { beforeEnrolment: true })

/** The calls about one's own second factors, whether a trader's or a member of staff's. */
export type OwnFactorRoutes = {
  readonly [Name in keyof typeof ownFactors]: (typeof ownFactors | typeof staffFactors)[Name]
}

/** The calls about second factors. */
export const factorRoutes = {
  ownFactors: ownFactors.factors,
  ownConfirmationChoice: ownFactors.confirmationChoice,
  confirmTrader: ownFactors.confirm,
  ownPasskeyCreation: ownFactors.passkeyCreation,
  addOwnPasskey: ownFactors.addPasskey,
  renameOwnPasskey: ownFactors.renamePasskey,
  removeOwnPasskey: ownFactors.removePasskey,
  ownAuthenticatorSetup: ownFactors.authenticatorSetup,
  turnOnOwnAuthenticator: ownFactors.turnOnAuthenticator,
  turnOffOwnAuthenticator: ownFactors.turnOffAuthenticator,
  issueOwnRecoveryCodes: ownFactors.issueRecoveryCodes,
  staffFactors: staffFactors.factors,
  staffConfirmationChoice: staffFactors.confirmationChoice,
  confirmStaff: staffFactors.confirm,
  staffPasskeyCreation: staffFactors.passkeyCreation,
  addStaffPasskey: staffFactors.addPasskey,
  renameStaffPasskey: staffFactors.renamePasskey,
  removeStaffPasskey: staffFactors.removePasskey,
  staffAuthenticatorSetup: staffFactors.authenticatorSetup,
  turnOnStaffAuthenticator: staffFactors.turnOnAuthenticator,
  turnOffStaffAuthenticator: staffFactors.turnOffAuthenticator,
  issueStaffRecoveryCodes: staffFactors.issueRecoveryCodes,
  stopOwnFactorRemoval: del('/api/user/factors/removal', 'trader', {
    summary: 'Stop the removal of the own second factors that staff were asked for',
    refuses: conflict,
  }),
  userFactors: get('/api/admin/user/:id/factors', 'read', {
    summary: 'Whether a user has second factors, and when they are removed',
    params: userPath,
    answer: answer('The second factors', UserFactors),
  }),
  requestFactorRemoval: post('/api/admin/user/:id/factors/removal', 'help-sign-in', {
    summary:
      'Have all second factors of a user who lost them removed after 24 hours, once a question was answered; the user gets a mail at once',
    params: userPath,
    body: NewFactorRemoval,
    refuses: conflict,
  }),
  stopFactorRemoval: del('/api/admin/user/:id/factors/removal', 'help-sign-in', {
    summary: "Stop the removal of a user's second factors",
    params: userPath,
    refuses: conflict,
  }),
  removeUserFactors: del('/api/admin/user/:id/factors', 'remove-factors', {
    summary: 'Remove all second factors of a user who lost them; the user gets a mail and sees it in the history',
    params: userPath,
    refuses: conflict,
  }),
}
