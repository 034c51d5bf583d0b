import { type FactorOwner, loadFactors } from './factor-owner.ts'
import { passkeyRequest } from './passkey-options.ts'
import type { IdentityParts } from '#services/identity/parts.ts'
import { type FactorChoice, type FactorKind } from '../factor-proof-api.ts'
import { hasSecondFactor, type SecondFactors } from '../second-factor.ts'

/** The second factors that a person can choose among, read from the log. */
export function createFactorChoices({
  repositories,
  relyingParty,
  signedTokens,
  now,
}: Pick<IdentityParts['queries'], 'repositories' | 'relyingParty' | 'signedTokens' | 'now'>) {
  const load = (owner: FactorOwner) => loadFactors(repositories, owner, now())

  const choiceOf = (factors: SecondFactors, purpose: string, without: FactorKind[]): FactorChoice => {
    const { passkeys, authenticator, recoveryCodes } = factors
    const isUsable = passkeys.length > 0 && relyingParty.unusable === null
    const kinds: FactorKind[] = [
      ...(isUsable ? ['passkey' as const] : []),
      ...(authenticator ? ['authenticator' as const] : []),
      ...(recoveryCodes && recoveryCodes.hashes.length > 0 ? ['recovery-code' as const] : []),
    ]
    return {
      factors: hasSecondFactor(factors) ? kinds : without,
      passkey: isUsable ? passkeyRequest(signedTokens, relyingParty, purpose, factors) : null,
    }
  }

  return { load, choiceOf }
}
