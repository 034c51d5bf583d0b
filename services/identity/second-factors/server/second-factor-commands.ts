import { userStreams } from '#services/identity/users/user.ts'
import { adminKeyStreams } from '#services/identity/staff/access-key.ts'
import { randomBytes } from 'node:crypto'
import { fieldFailure } from '#services/framework/api/error-schemas.ts'
import type { factorRoutes, OwnFactorRoutes } from '../second-factor-api.ts'
import {
  addPasskey,
  hasSecondFactor,
  issueRecoveryCodes,
  removePasskey,
  removeSecondFactors,
  renamePasskey,
  requestRemoval,
  type SecondFactorEvent,
  type SecondFactors,
  stopRemoval,
  turnOffAuthenticator,
  turnOnAuthenticator,
} from '../second-factor.ts'
import type { AuthenticatedCaller } from '#services/framework/http/caller.ts'
import {
  authenticatorPurpose,
  factorOwnerOf,
  factorsOf,
  loadFactors,
  ownerKey,
  settleDueRemoval,
} from './factor-owner.ts'
import { HttpError } from '#services/framework/http/http-errors.ts'
import { challengePurposes } from './passkey-options.ts'
import { done } from '#services/framework/http/serve-route.ts'
import { hashesEqual } from '#services/process/keys/derived-secrets.ts'
import type { IdentityParts } from '#services/identity/parts.ts'
import type { AnyCall, Commands } from '#services/framework/module.ts'
import { changeCredentials, endSessionsAround } from '#services/identity/authentication/ended-sessions.ts'
import { createFactorProofs, recoveryCodeHash, stepOfCode } from './second-factor-proofs.ts'

const RECOVERY_CODES = 10

interface FactorCall extends AnyCall {
  readonly caller: AuthenticatedCaller
}

/** Changes of second factors, and the confirmations that sensitive actions need. */
export function secondFactorCommands(parts: IdentityParts['commands']): Commands<typeof factorRoutes> {
  const { repositories, secrets, sessions, confirmations, stepUp, signedTokens, throttle, passwords, passwordWork } =
    parts
  const users = repositories.of(userStreams)
  const adminKeys = repositories.of(adminKeyStreams)
  const { relyingParty, config, now } = parts
  const proofs = createFactorProofs(parts)
  const isRequired = (caller: AuthenticatedCaller) => caller.kind === 'admin' && config.requireStaffSecondFactor

  /** Decides on the caller's factors, as a change of credentials. */
  const change = async ({ context, ...call }: FactorCall, decide: (factors: SecondFactors) => SecondFactorEvent[]) => {
    stepUp.assertConfirmedAlways(call)
    const owner = factorOwnerOf(call.caller)
    // What is added now must not go with them.
    if (owner.kind === 'trader' && (await settleDueRemoval(parts, owner.id, context)))
      throw new HttpError(401, { message: 'Your second factors were removed. Please sign in again.' })
    return changeCredentials(parts, call, () => factorsOf(repositories, owner).decide(owner.id, context, decide))
  }

  const removals = factorsOf(repositories, { kind: 'trader' })

  const assertUser = async (id: string) => {
    if (!(await users.load(id)).state.exists) throw new HttpError(404, { message: 'User not found' })
  }

  const isOwnPassword = async (userId: string, password: string) =>
    passwords.verify(password, (await users.load(userId)).state.passwordHash)

  const isOwnAccessKey = async (keyId: string, accessKey: string) => {
    const { issued, revoked } = (await adminKeys.load(keyId)).state
    return issued !== null && !revoked && hashesEqual(issued.keyHash, secrets.accessKeyHash(accessKey))
  }

  const own: Commands<OwnFactorRoutes> = {
    confirm: async ({ caller, body: { secret, ...proof }, context, request, response }) => {
      const owner = factorOwnerOf(caller)
      const { position } = await factorsOf(repositories, owner).load(owner.id)
      if (hasSecondFactor(await loadFactors(repositories, owner, now()))) {
        const accepted = await proofs.accept(proof, {
          owner,
          request,
          context,
          challengePurpose: challengePurposes.confirmation(caller.session.idHash),
        })
        confirmations.confirm(response, caller.session)
        return done(accepted.position)
      }
      await passwordWork(request, async () => {
        const tried = await throttle.attempt(
          caller.kind === 'trader' ? ['passwordAccount', caller.userId] : ['factorPerson', ownerKey(owner)],
        )
        const isRight =
          caller.kind === 'trader'
            ? await isOwnPassword(caller.userId, secret ?? '')
            : await isOwnAccessKey(caller.session.subject, secret ?? '')
        if (!isRight)
          throw new HttpError(
            400,
            fieldFailure(
              'secret',
              caller.kind === 'trader' ? 'Your password is not correct' : 'Your access key is not correct',
            ),
          )
        await tried.refund()
      })
      confirmations.confirm(response, caller.session)
      return done(position)
    },

    addPasskey: async ({ body: { name, passkey }, ...call }) => {
      stepUp.assertConfirmedAlways(call)
      if (relyingParty.unusable !== null) throw new HttpError(409, { message: relyingParty.unusable })
      const credential = await proofs.verifyNew(passkey, challengePurposes.creation(call.caller.session.idHash))
      const added = { passkeyId: randomBytes(9).toString('base64url'), name, ...credential }
      return done((await change(call, (factors) => addPasskey(factors, added))).position)
    },

    renamePasskey: async ({ caller, params, body, context, request }) => {
      stepUp.assertConfirmedAlways({ caller, request })
      const owner = factorOwnerOf(caller)
      const { position } = await factorsOf(repositories, owner).decide(owner.id, context, (factors) =>
        renamePasskey(factors, params.id, body.name),
      )
      return done(position)
    },

    removePasskey: async ({ params, ...call }) =>
      done((await change(call, (factors) => removePasskey(factors, params.id, isRequired(call.caller)))).position),

    turnOnAuthenticator: async ({ body, ...call }) => {
      stepUp.assertConfirmedAlways(call)
      const owner = factorOwnerOf(call.caller)
      const key = signedTokens.verify(authenticatorPurpose(owner), body.setup)
      if (key === undefined)
        throw new HttpError(400, fieldFailure('code', 'This took too long. Please begin again with a new key.'))
      const tried = await throttle.attempt(['factorPerson', ownerKey(owner)])
      const step = await stepOfCode(key, body.code, now())
      if (step === undefined)
        throw new HttpError(400, fieldFailure('code', 'This code is not valid. Check the time of your phone.'))
      await tried.refund()
      return done((await change(call, (factors) => turnOnAuthenticator(factors, key, step))).position)
    },

    turnOffAuthenticator: async (call) =>
      done((await change(call, (factors) => turnOffAuthenticator(factors, isRequired(call.caller)))).position),

    issueRecoveryCodes: async (call) => {
      const owner = factorOwnerOf(call.caller)
      const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode)
      const hashes = codes.map((code) => recoveryCodeHash(secrets, owner, code))
      const { position, isRepeated } = await change(call, (factors) => issueRecoveryCodes(factors, hashes))
      return { body: isRepeated ? {} : { codes }, position }
    },
  }

  return {
    confirmTrader: own.confirm,
    confirmStaff: own.confirm,
    addOwnPasskey: own.addPasskey,
    addStaffPasskey: own.addPasskey,
    renameOwnPasskey: own.renamePasskey,
    renameStaffPasskey: own.renamePasskey,
    removeOwnPasskey: own.removePasskey,
    removeStaffPasskey: own.removePasskey,
    turnOnOwnAuthenticator: own.turnOnAuthenticator,
    turnOnStaffAuthenticator: own.turnOnAuthenticator,
    turnOffOwnAuthenticator: own.turnOffAuthenticator,
    turnOffStaffAuthenticator: own.turnOffAuthenticator,
    issueOwnRecoveryCodes: own.issueRecoveryCodes,
    issueStaffRecoveryCodes: own.issueRecoveryCodes,

    stopOwnFactorRemoval: async ({ caller, context }) =>
      done((await removals.decide(caller.userId, context, (factors) => stopRemoval(factors, now()))).position),

    requestFactorRemoval: async ({ caller, params: { id }, body: { question }, context, request }) => {
      await stepUp.assertConfirmed({ caller, request })
      await assertUser(id)
      await settleDueRemoval(parts, id, context)
      return done((await removals.decide(id, context, (factors) => requestRemoval(factors, question, now()))).position)
    },

    stopFactorRemoval: async ({ params: { id }, context }) => {
      await assertUser(id)
      return done((await removals.decide(id, context, (factors) => stopRemoval(factors, now()))).position)
    },

    removeUserFactors: async ({ caller, params, context, request }) => {
      await stepUp.assertConfirmed({ caller, request })
      const { id } = params
      await assertUser(id)
      const remove = () => factorsOf(repositories, { kind: 'trader' }).decide(id, context, removeSecondFactors)
      return done((await endSessionsAround(sessions, { kind: 'trader', subject: id }, remove)).position)
    },
  }
}

/** 50 random bits in letters and digits that are hard to confuse, and never digits alone: 'k7dm2-x9q4r'. */
function newRecoveryCode(): string {
  const alphabet = '23456789abcdefghjkmnpqrstuvwxyz0'
  const letters = Array.from(randomBytes(10), (byte) => alphabet[byte % 32]).join('')
  return /[a-z]/.test(letters) ? `${letters.slice(0, 5)}-${letters.slice(5)}` : newRecoveryCode()
}
