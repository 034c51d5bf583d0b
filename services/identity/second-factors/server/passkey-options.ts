import type { RelyingParty } from '#services/identity/authentication/relying-party.ts'
import type { PasskeyRequest } from '../factor-proof-api.ts'
import type { PasskeyCreation } from '../second-factor-api.ts'
import { CHALLENGE_LIFETIME, type SecondFactors } from '../second-factor.ts'
import { type FactorOwner, ownerKey } from './factor-owner.ts'
import type { SignedTokens } from '#services/identity/authentication/signed-tokens.ts'

/** The purposes for which a passkey signs. A challenge for one purpose is of no use for another. */
export const challengePurposes = {
  signIn: 'passkey: sign-in',
  secondStep: (owner: FactorOwner) => `passkey: second step of ${ownerKey(owner)}`,
  confirmation: (sessionIdHash: string) => `passkey: confirmation of ${sessionIdHash}`,
  creation: (sessionIdHash: string) => `passkey: creation in ${sessionIdHash}`,
}

/** A WebAuthn challenge is any bytes: here a signed token, so that it needs no store. */
function challengeFor(tokens: SignedTokens, purpose: string): string {
  return Buffer.from(tokens.sign(purpose, '', CHALLENGE_LIFETIME)).toString('base64url')
}

/** Whether a challenge, base64url, was made for this purpose and is still valid. */
export function isChallengeFor(tokens: SignedTokens, purpose: string, challenge: string): boolean {
  return tokens.verify(purpose, Buffer.from(challenge, 'base64url').toString('utf8')) !== undefined
}

/** A browser asks for a passkey with these options: for one of these factors, or without them for any of this site. */
export function passkeyRequest(
  tokens: SignedTokens,
  { id: rpId }: RelyingParty,
  purpose: string,
  factors?: SecondFactors,
): PasskeyRequest {
  return {
    challenge: challengeFor(tokens, purpose),
    rpId,
    allowCredentials: (factors?.passkeys ?? []).map(({ credentialId: id }) => ({ id, type: 'public-key' })),
    userVerification: 'required',
    timeout: CHALLENGE_LIFETIME,
  }
}

/** A browser makes a passkey for a person with these options. */
export function passkeyCreation(
  tokens: SignedTokens,
  { id, name: firm }: Pick<RelyingParty, 'id'> & { readonly name: string },
  purpose: string,
  { owner, name, factors }: { readonly owner: FactorOwner; readonly name: string; readonly factors: SecondFactors },
): PasskeyCreation {
  return {
    challenge: challengeFor(tokens, purpose),
    rp: { id, name: firm },
    user: { id: Buffer.from(ownerKey(owner)).toString('base64url'), name, displayName: name },
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ alg, type: 'public-key' })),
    excludeCredentials: factors.passkeys.map(({ credentialId }) => ({ id: credentialId, type: 'public-key' })),
    authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
    attestation: 'none',
    timeout: CHALLENGE_LIFETIME,
  }
}

/** EdDSA, ES256 and RS256, by their COSE numbers, as WebAuthn recommends. */
export const ALGORITHMS = [-8, -7, -257]
