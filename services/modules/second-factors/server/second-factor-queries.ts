import { type AuthenticatorSetup, type FactorChoice, type FactorKind, factorCallsByOwner, type OwnFactors } from '../second-factor-api.ts'
import { signInRoutes } from '#services/modules/sign-in/sign-in-api.ts'
import { CHALLENGE_LIFETIME, hasSecondFactor, type SecondFactors } from '../second-factor.ts'
import { isoTime } from '#services/modules/event-description.ts'
import { users } from '#services/modules/users/user.ts'
import type { AuthenticatedCaller } from '#services/authentication/access-control.ts'
import { authenticatorPurpose, type FactorOwner, factorOwnerOf, factorsOf } from '#services/authentication/factor-owner.ts'
import { HttpError, noPendingSignIn } from '#services/http/http-errors.ts'
import { challengePurposes, passkeyCreation, passkeyRequest } from '#services/authentication/passkey-options.ts'
import type { QueryDependencies, RegisterQuery } from '#services/query/query-dependencies.ts'

/** Reads about one's own second factors, and what a browser needs to use or to add one. Everything comes from the log. */
export function registerSecondFactorQueries(read: RegisterQuery, parts: QueryDependencies): void {
  const { repositories, relyingParty, signedTokens, pendingSignIns, config } = parts
  const load = async (owner: FactorOwner) => (await factorsOf(repositories, owner).load(owner.id)).state

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

  read(signInRoutes.passkeySignInRequest, [], async () => {
    if (relyingParty.unusable !== null) throw new HttpError(409, { message: relyingParty.unusable })
    return { body: passkeyRequest(signedTokens, relyingParty, challengePurposes.signIn) }
  })

  for (const [route, kind] of [[signInRoutes.signInChoice, 'trader'] as const, [signInRoutes.staffSignInChoice, 'admin'] as const])
    read(route, [], async ({ request }) => {
      const pending = pendingSignIns.of(request, kind)
      if (!pending) throw noPendingSignIn()
      return { body: choiceOf(await load(pending), challengePurposes.secondStep(pending), []) }
    })

  /** The person as authenticators show it. */
  const nameOf = async (caller: AuthenticatedCaller): Promise<string> =>
    caller.kind === 'trader' ? (await repositories.of(users).load(caller.userId)).state.email : caller.label

  for (const own of factorCallsByOwner) {
    read(own.factors, [], async ({ caller }) => {
      const { passkeys, authenticator, recoveryCodes } = await load(factorOwnerOf(caller))
      const body: OwnFactors = {
        passkeys: passkeys.map(({ id, name, addedAt, lastUsedAt }) => ({
          id,
          name,
          addedAt: isoTime(addedAt),
          lastUsedAt: lastUsedAt === null ? null : isoTime(lastUsedAt),
        })),
        authenticator: authenticator && { since: isoTime(authenticator.since) },
        recoveryCodes: recoveryCodes && { left: recoveryCodes.hashes.length, issuedAt: isoTime(recoveryCodes.issuedAt) },
        passkeysUnusable: relyingParty.unusable,
        required: caller.kind === 'admin' && config.requireStaffSecondFactor,
      }
      return { body }
    })

    read(own.confirmationChoice, [], async ({ caller }) => {
      const factors = await load(factorOwnerOf(caller))
      return { body: choiceOf(factors, challengePurposes.confirmation(caller.session.idHash), [caller.kind === 'trader' ? 'password' : 'access-key']) }
    })

    read(own.passkeyCreation, [], async ({ caller }) => {
      if (relyingParty.unusable !== null) throw new HttpError(409, { message: relyingParty.unusable })
      const owner = factorOwnerOf(caller)
      const person = { owner, name: await nameOf(caller), factors: await load(owner) }
      return { body: passkeyCreation(signedTokens, relyingParty, challengePurposes.creation(caller.session.idHash), person) }
    })

    read(own.authenticatorSetup, [], async ({ caller }) => {
      const { Secret, TOTP } = await import('otpauth')
      const secret = new Secret({ size: 20 })
      const body: AuthenticatorSetup = {
        key: secret.base32,
        uri: new TOTP({ issuer: 'Proofdesk', label: await nameOf(caller), secret }).toString(),
        setup: signedTokens.sign(authenticatorPurpose(factorOwnerOf(caller)), secret.base32, 2 * CHALLENGE_LIFETIME),
      }
      return { body }
    })
  }
}
