import type { Request } from 'express'
import type { FactorProof, PasskeyAssertion } from '../factor-proof-api.ts'
import type { CreatedPasskey } from '../second-factor-api.ts'
import {
  type SecondFactorEvent,
  type SecondFactors,
  useAuthenticatorCode,
  usePasskey,
  useRecoveryCode,
  wrongCode,
} from '../second-factor.ts'
import type { Context } from '#services/event-sourcing/codec/metadata.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import { type FactorOwner, factorsOf, loadFactors, ownerKey } from './factor-owner.ts'
import { HttpError } from '#services/framework/http/http-errors.ts'
import { ALGORITHMS, isChallengeFor } from './passkey-options.ts'
import type { RelyingParty } from '#services/identity/authentication/relying-party.ts'
import { hashToken, type Secrets } from '#services/process/keys/derived-secrets.ts'
import type { IdentityParts } from '#services/identity/parts.ts'
import type { SignedTokens } from '#services/identity/authentication/signed-tokens.ts'
import { createKnownDevices } from '#services/identity/authentication/known-devices.ts'

/** The WebAuthn library loads slowly, so only where it is used. */
const loadWebAuthn = () => import('@simplewebauthn/server')

/** A code is accepted in its own time step of 30 s and in the one before and after, as RFC 6238 advises. */
const WINDOW = 1
const STEP_SECONDS = 30

/** The time step of a code that an app with this key shows now; undefined for a wrong code. Time in ms since 1970. */
export async function stepOfCode(key: string, code: string, now: number): Promise<number | undefined> {
  const { Secret, TOTP } = await import('otpauth')
  const digits = code.replaceAll(/\s/g, '')
  if (!/^\d{6}$/.test(digits)) return undefined
  const delta = new TOTP({ secret: Secret.fromBase32(key), period: STEP_SECONDS }).validate({
    token: digits,
    timestamp: now,
    window: WINDOW,
  })
  return delta === null ? undefined : Math.floor(now / 1000 / STEP_SECONDS) + delta
}

/** The keyed hash of a recovery code of a person; letter case and separators do not count. */
export function recoveryCodeHash(secrets: Pick<Secrets, 'tokenMac'>, owner: FactorOwner, code: string): string {
  return secrets.tokenMac(
    JSON.stringify(['recovery code', ownerKey(owner), code.toLowerCase().replaceAll(/[^a-z0-9]/g, '')]),
  )
}

export interface ProvenFactor {
  readonly owner: FactorOwner
  readonly request: Request
  readonly context: Context
  /** A passkey must have signed for this purpose. */
  readonly challengePurpose: string
}

/**
 * Proofs of second factors: each is checked, counted against the limits on guesses, and recorded, so that it counts
 * once.
 */
type FactorDependencies = Pick<
  IdentityParts['commands'],
  'repositories' | 'secrets' | 'throttle' | 'relyingParty' | 'signedTokens' | 'secureCookies' | 'now' | 'log'
>

export function createFactorProofs(parts: FactorDependencies) {
  const devices = { trader: createKnownDevices('device', parts), admin: createKnownDevices('admin-device', parts) }
  const { repositories, secrets, throttle, relyingParty, signedTokens, now, log } = parts

  const limitFor = (owner: FactorOwner, request: Request) => {
    // The owner's own browser is not locked out by a thief of the password.
    const isKnown = devices[owner.kind].knows(request, owner.kind === 'trader' ? owner.id : owner.kind)
    return [isKnown ? 'factorDevice' : 'factorPerson', ownerKey(owner)] as const
  }

  const eventsOfCode = async (owner: FactorOwner, code: string, { authenticator }: SecondFactors) => {
    const step = authenticator ? await stepOfCode(authenticator.key, code, now()) : undefined
    if (authenticator && step !== undefined)
      return (factors: SecondFactors) => useAuthenticatorCode(factors, authenticator.key, step)
    // No recovery code consists of six digits.
    if (/^[\d\s]*$/.test(code)) throw wrongCode()
    return (factors: SecondFactors) => useRecoveryCode(factors, recoveryCodeHash(secrets, owner, code))
  }

  const eventsOfPasskey = async (assertion: PasskeyAssertion, purpose: string, { passkeys }: SecondFactors) => {
    const passkey = passkeys.find(({ credentialId }) => credentialId === assertion.id)
    if (!passkey) throw unverified()
    const { challenge, counter } = await verifyAssertion(assertion, passkey, {
      purpose,
      relyingParty,
      tokens: signedTokens,
    }).catch((error: unknown) => {
      log.info({ err: error }, 'passkey refused')
      throw unverified()
    })
    return (factors: SecondFactors): SecondFactorEvent[] =>
      usePasskey(factors, { passkeyId: passkey.id, counter, challengeHash: hashToken(challenge) })
  }

  const acceptPasskey = async (passkey: PasskeyAssertion, { owner, context, challengePurpose }: ProvenFactor) => {
    const factors = factorsOf(repositories, owner)
    const state = await loadFactors(repositories, owner, now())
    return factors.decide(owner.id, context, await eventsOfPasskey(passkey, challengePurpose, state))
  }

  const acceptCode = async (code: string, { owner, context }: ProvenFactor) => {
    const factors = factorsOf(repositories, owner)
    const state = await loadFactors(repositories, owner, now())
    return factors.decide(owner.id, context, await eventsOfCode(owner, code, state))
  }

  return {
    /** Accepts a signature of a passkey once. Nothing is counted. @throws {Refused} invalid */
    acceptPasskey,

    /**
     * Accepts a proof once, and counts a wrong one.
     *
     * @throws {Refused} invalid, at the field of the proof.
     * @throws {HttpError} 429
     */
    async accept({ passkey, code = '' }: FactorProof, proven: ProvenFactor) {
      const tried = await throttle.attempt(limitFor(proven.owner, proven.request))
      const accepted = await (passkey ? acceptPasskey(passkey, proven) : acceptCode(code, proven))
      await tried.refund()
      return accepted
    },

    /** The credential that a browser made for this purpose. @throws {HttpError} 400 */
    async verifyNew(created: CreatedPasskey, purpose: string) {
      const { verifyRegistrationResponse } = await loadWebAuthn()
      try {
        const { registrationInfo } = await verifyRegistrationResponse({
          response: { ...created, clientExtensionResults: {} },
          expectedChallenge: (challenge) => isChallengeFor(signedTokens, purpose, challenge),
          expectedOrigin: relyingParty.origin,
          expectedRPID: relyingParty.id,
          requireUserVerification: true,
          supportedAlgorithmIDs: ALGORITHMS,
        })
        if (!registrationInfo) throw new Error('not verified')
        const { id, publicKey, counter } = registrationInfo.credential
        return { credentialId: id, publicKey: Buffer.from(publicKey).toString('base64url'), counter }
      } catch (error) {
        log.info({ err: error }, 'new passkey refused')
        throw new HttpError(400, { message: 'This passkey could not be added. Please try again.' })
      }
    },
  }
}

interface AssertionCheck {
  readonly purpose: string
  readonly relyingParty: RelyingParty
  readonly tokens: SignedTokens
}

/**
 * @throws {Error} of the library, when anything about the assertion is wrong: origin, site, challenge, signature,
 * counter.
 */
async function verifyAssertion(
  { response: { userHandle, ...signed }, ...assertion }: PasskeyAssertion,
  { credentialId, publicKey, counter }: SecondFactors['passkeys'][number],
  { purpose, relyingParty, tokens }: AssertionCheck,
) {
  const { verifyAuthenticationResponse } = await loadWebAuthn()
  let signedChallenge = ''
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: {
      ...assertion,
      response: { ...signed, ...(userHandle !== undefined && { userHandle }) },
      clientExtensionResults: {},
    },
    expectedChallenge: (challenge) => {
      signedChallenge = challenge
      return isChallengeFor(tokens, purpose, challenge)
    },
    expectedOrigin: relyingParty.origin,
    expectedRPID: relyingParty.id,
    credential: { id: credentialId, publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')), counter },
    requireUserVerification: true,
  })
  if (!verified) throw new Error('The signature is wrong')
  return { challenge: signedChallenge, counter: authenticationInfo.newCounter }
}

function unverified(): Refused {
  return new Refused('invalid', 'This passkey could not be verified. Please try again.', 'passkey')
}

/** The owner whom a passkey names (its user handle), of this kind. */
export function ownerIdOf(
  { response: { userHandle } }: PasskeyAssertion,
  kind: FactorOwner['kind'],
): string | undefined {
  const [named, id] = Buffer.from(userHandle ?? '', 'base64url')
    .toString('utf8')
    .split(':')
  return named === kind ? id : undefined
}
