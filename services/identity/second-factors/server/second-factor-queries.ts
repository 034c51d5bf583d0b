import { authenticatorPurpose, factorOwnerOf } from './factor-owner.ts'
import type { AuthenticatedCaller } from '#services/framework/http/caller.ts'
import { challengePurposes, passkeyCreation } from './passkey-options.ts'
import { HttpError } from '#services/framework/http/http-errors.ts'
import type { IdentityParts } from '#services/identity/parts.ts'
import { isoTime } from '#services/framework/event-description.ts'
import type { Queries } from '#services/framework/module.ts'
import { userStreams } from '#services/identity/users/user.ts'
import type { AuthenticatorSetup, factorRoutes, OwnFactorRoutes, OwnFactors } from '../second-factor-api.ts'
import { CHALLENGE_LIFETIME, hasSecondFactor, type SecondFactors } from '../second-factor.ts'
import { createFactorChoices } from './factor-choice.ts'

/**
 * Reads about one's own second factors, and what a browser needs to use or to add one. Everything comes from the log.
 */
export function secondFactorQueries(parts: IdentityParts['queries']): Queries<typeof factorRoutes> {
  const { repositories, relyingParty, signedTokens, config, firm } = parts
  const { load, choiceOf } = createFactorChoices(parts)

  /** Two portals of one name would replace each other's entry in an authenticator, and lock people out. */
  const issuerNow = async () => (await firm.now()).name ?? relyingParty.id

  /** The person as authenticators show it. */
  const nameOf = async (caller: AuthenticatedCaller): Promise<string> =>
    caller.kind === 'trader' ? (await repositories.of(userStreams).load(caller.userId)).state.email : caller.label

  const own: Queries<OwnFactorRoutes> = {
    factors: {
      needs: [],
      handle: async ({ caller }) => {
        const { passkeys, authenticator, recoveryCodes, removal } = await load(factorOwnerOf(caller))
        const body: OwnFactors = {
          passkeys: passkeys.map(({ id, name, addedAt, lastUsedAt }) => ({
            id,
            name,
            addedAt: isoTime(addedAt),
            lastUsedAt: lastUsedAt === null ? null : isoTime(lastUsedAt),
          })),
          authenticator: authenticator && { since: isoTime(authenticator.since) },
          recoveryCodes: recoveryCodes && {
            left: recoveryCodes.hashes.length,
            issuedAt: isoTime(recoveryCodes.issuedAt),
          },
          removal: removalResponse(removal),
          passkeysUnusable: relyingParty.unusable,
          required: caller.kind === 'admin' && config.requireStaffSecondFactor,
        }
        return { body }
      },
    },

    confirmationChoice: {
      needs: [],
      handle: async ({ caller }) => {
        const factors = await load(factorOwnerOf(caller))
        return {
          body: choiceOf(factors, challengePurposes.confirmation(caller.session.idHash), [
            caller.kind === 'trader' ? 'password' : 'access-key',
          ]),
        }
      },
    },

    passkeyCreation: {
      needs: [],
      handle: async ({ caller }) => {
        if (relyingParty.unusable !== null) throw new HttpError(409, { message: relyingParty.unusable })
        const owner = factorOwnerOf(caller)
        const person = { owner, name: await nameOf(caller), factors: await load(owner) }
        return {
          body: passkeyCreation(
            signedTokens,
            { ...relyingParty, name: (await firm.now()).title },
            challengePurposes.creation(caller.session.idHash),
            person,
          ),
        }
      },
    },

    authenticatorSetup: {
      needs: [],
      handle: async ({ caller }) => {
        const { Secret, TOTP } = await import('otpauth')
        const secret = new Secret({ size: 20 })
        const body: AuthenticatorSetup = {
          key: secret.base32,
          uri: new TOTP({ issuer: await issuerNow(), label: await nameOf(caller), secret }).toString(),
          setup: signedTokens.sign(authenticatorPurpose(factorOwnerOf(caller)), secret.base32, 2 * CHALLENGE_LIFETIME),
        }
        return { body }
      },
    },
  }

  return {
    userFactors: {
      needs: [],
      handle: async ({ params: { id } }) => {
        if (!(await repositories.of(userStreams).load(id)).state.exists)
          throw new HttpError(404, { message: 'User not found' })
        const factors = await load({ kind: 'trader', id })
        return { body: { present: hasSecondFactor(factors), removal: removalResponse(factors.removal) } }
      },
    },
    ownFactors: own.factors,
    staffFactors: own.factors,
    ownConfirmationChoice: own.confirmationChoice,
    staffConfirmationChoice: own.confirmationChoice,
    ownPasskeyCreation: own.passkeyCreation,
    staffPasskeyCreation: own.passkeyCreation,
    ownAuthenticatorSetup: own.authenticatorSetup,
    staffAuthenticatorSetup: own.authenticatorSetup,
  }
}

function removalResponse(removal: SecondFactors['removal']) {
  return removal && { question: removal.question, dueAt: isoTime(removal.dueAt) }
}
