import {
  userStreams,
  checkPasswordLink,
  confirmEmail,
  findEmailRevert,
  hasPasswordLink,
  registerUser,
  rehashPassword,
  requestPasswordReset,
  resetPassword,
  revertEmail,
  type User,
} from '#services/identity/users/user.ts'
import { setTimeout as delay } from 'node:timers/promises'
import type { Request } from 'express'
import { fieldFailure } from '#services/framework/api/error-schemas.ts'
import { INVALID_RESET_TOKEN } from '#services/identity/users/user-api.ts'
import type { signInRoutes } from '../sign-in-api.ts'
import { userId as userIdSchema, type UserId } from '#services/framework/ids.ts'
import {
  hasSecondFactor,
  recordNewBrowser,
  removeFactorsAddedSince,
} from '#services/identity/second-factors/second-factor.ts'
import type { Context } from '#services/event-sourcing/codec/metadata.ts'
import { browserName } from '#services/framework/http/browser-name.ts'
import { Unavailable, unlessFails } from '#infra/failures.ts'
import { approximateAddress, clientNetwork } from '#services/framework/http/client-network.ts'
import { factorsOf, settleDueRemoval } from '#services/identity/second-factors/server/factor-owner.ts'
import { challengePurposes } from '#services/identity/second-factors/server/passkey-options.ts'
import { banned, HttpError, noPendingSignIn, secondFactorRequired } from '#services/framework/http/http-errors.ts'
import { limits } from '#services/framework/http/limits.ts'
import { done } from '#services/framework/http/serve-route.ts'
import { hashToken, hashesEqual } from '#services/process/keys/derived-secrets.ts'
import { userResponse } from '#services/identity/users/user-answer.ts'
import { endSessionsAround } from '#services/identity/authentication/ended-sessions.ts'
import { createKnownDevices } from '#services/identity/authentication/known-devices.ts'
import type { IdentityParts } from '#services/identity/parts.ts'
import type { AnyCall, Commands } from '#services/framework/module.ts'
import { decideWithEmail } from '#services/identity/users/server/profile-commands.ts'
import { assertPasswordAllowed } from './password-rules.ts'
import { createFactorProofs, ownerIdOf } from '#services/identity/second-factors/server/second-factor-proofs.ts'
import { createUserWithAccount } from '#services/identity/users/server/user-commands.ts'
import {
  createPasswordLink,
  EMAIL_REVERT_LIFETIME,
  emailToken,
  newUserId,
  userIdOfToken,
  RESET_LINK_LIFETIME,
} from '#services/identity/users/server/password-link-tokens.ts'

/** Registration, sign-in and forgotten passwords (specification §5, §7). */
export function sessionCommands(parts: IdentityParts['commands']) {
  const {
    repositories,
    eventStore,
    addresses,
    secrets,
    sessions,
    confirmations,
    pendingSignIns,
    throttle,
    passwords,
    passwordWork,
    now,
    log,
  } = parts
  const users = repositories.of(userStreams)
  const devices = createKnownDevices('device', parts)
  const factors = factorsOf(repositories, { kind: 'trader' })
  const proofs = createFactorProofs(parts)
  const ownContext = (context: Context, id: UserId) => ({ ...context, actor: { kind: 'trader', id } }) as const
  const ownSessions = (subject: UserId) => ({ kind: 'trader', subject }) as const
  /** Names the current password for a sign-in whose second step is missing. */
  const credentialsOf = ({ passwordHash }: User) => secrets.requestDigest(`credentials ${passwordHash ?? ''}`)

  /** The link of a welcome is often opened in one browser, and the first sign-in made in another. */
  const isFirstSignIn = async (userId: UserId): Promise<boolean> => {
    const { firstPasswordAt } = (await users.load(userId)).state
    const { seconds } = limits.attempts.firstSignIn
    if (firstPasswordAt === null || now() - firstPasswordAt > seconds * 1000) return false
    return (await throttle.take('firstSignIn', userId)) === 0
  }

  /**
   * Records a sign-in from a new browser.
   *
   * @returns false when that is not possible now: the next sign-in from it tries again.
   */
  const isNoticed = async (userId: UserId, { context, request }: AnyCall): Promise<boolean> => {
    if ((await isFirstSignIn(userId)) || devices.knows(request, userId)) return true
    if ((await throttle.take('newBrowserNotice', userId)) > 0) return true
    const client = { browser: browserName(request.get('user-agent')), address: approximateAddress(request) }
    try {
      await factors.decide(userId, ownContext(context, userId), () => recordNewBrowser(client))
      return true
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error
      log.warn(
        { requestId: request.requestId, userId, err: error },
        'a sign-in from a new browser could not be recorded',
      )
      return false
    }
  }

  /**
   * Starts a session for a person who has proven their identity.
   *
   * @returns false when the check fails, see {@link Sessions.start}.
   */
  const signIn = async (
    { context, request, response }: AnyCall,
    userId: UserId,
    stillRight: () => Promise<boolean>,
  ): Promise<boolean> => {
    const session = await sessions.start(request, response, 'trader', userId, stillRight)
    if (!session) return false
    confirmations.confirm(response, session)
    if (await isNoticed(userId, { context, request, response })) devices.remember(request, response, userId)
    log.info({ requestId: request.requestId, userId, address: request.ip }, 'signed in')
    return true
  }

  /** A mailed link, whose `check` counts it against its account if it is wrong: strangers cannot block the owner's. */
  const openLink = async (token: string, request: Request) => {
    const tried = await throttle.attempt(['resetNetwork', clientNetwork(request)])
    const userId = userIdOfToken(token)
    const countGuess = () => throttle.attempt(['resetAccount', userId ?? 'unknown'])
    if (!userId) {
      await countGuess()
      throw new HttpError(400, fieldFailure('token', INVALID_RESET_TOKEN))
    }
    const tokenHash = hashToken(token)
    const check = async (assertValid: (user: User) => unknown): Promise<User> => {
      const { state } = await users.load(userId)
      try {
        assertValid(state)
      } catch (error) {
        await countGuess()
        throw error
      }
      return state
    }
    return { userId, isItsHash: (hash: string) => hashesEqual(hash, tokenHash), check, tried }
  }

  return {
    register: async ({ body, context, request, response }) => {
      await assertPasswordAllowed(body.password, body, 'password')
      // Before any lookup: the answer reveals whether an address is registered.
      await throttle.attempt(['registrationNetwork', clientNetwork(request)])
      const { fullName, email, country, city, street, houseNumber, privacyPolicyAgreed } = body
      const userId = newUserId(context)
      const isRepeated = await users.isRepeated(userId, context)
      if (!isRepeated && (await addresses.findUser(email)))
        throw new HttpError(409, fieldFailure('email', 'This email is already registered'))
      const passwordHash = await passwords.hash(body.password)
      const own = ownContext(context, userId)
      const claim = await addresses.claim(userId, email, own)
      const profile = { fullName, email, country, city, street, houseNumber }
      const registration = { ...profile, emailClaim: claim.emailClaim, passwordHash, privacyPolicyAgreed }
      const registered = await createUserWithAccount(
        userId,
        own,
        (user) => registerUser(user, registration, claim),
        parts,
      )
      // The account is there: a store of sessions that fails now leaves it to the sign-in.
      const session = await unlessFails(sessions.start(request, response, 'trader', userId))
      if (session) confirmations.confirm(response, session)
      devices.remember(request, response, userId)
      return registered
    },

    login: async ({ body, context, request, response }) => {
      const account = secrets.emailHash(body.email)
      const userId = await addresses.findUser(body.email)
      const tried = await throttle.attempt(
        userId && devices.knows(request, userId) ? ['signInDevice', userId] : ['signInAccount', account],
        ['signInNetwork', clientNetwork(request)],
      )
      const user = userId && (await users.load(userId)).state
      const check = () => passwords.verify(body.password, user?.passwordHash ?? null)
      const right = await passwordWork(request, check).catch(async (error: unknown) => {
        // Nothing was learnt about the password.
        await tried.refund()
        throw error
      })
      const refused = () => {
        log.info({ requestId: request.requestId, userId, address: request.ip }, 'sign-in refused')
        return new HttpError(401, { message: 'Invalid email or password' })
      }
      if (!userId || !user || !right) throw refused()
      await tried.refund()
      if (user.ban) throw banned(user.ban.reason)
      const { passwordHash } = user
      if (passwordHash !== null && passwords.isOutdated(passwordHash)) {
        const stronger = await passwords.hash(body.password)
        await users.decide(userId, ownContext(context, userId), (current) =>
          rehashPassword(current, passwordHash, stronger),
        )
      }
      const stillRight = async () => {
        const { passwordHash } = (await users.load(userId)).state
        // This or another sign-in may have rehashed it.
        return passwordHash === user.passwordHash || passwords.verify(body.password, passwordHash)
      }
      await settleDueRemoval(parts, userId, context)
      const needsSecondFactor = async () => hasSecondFactor((await factors.load(userId)).state)
      if (await needsSecondFactor()) {
        const current = (await users.load(userId)).state
        if (!(await stillRight())) throw refused()
        pendingSignIns.begin(response, {
          kind: 'trader',
          id: userId,
          subject: userId,
          credentials: credentialsOf(current),
        })
        throw secondFactorRequired()
      }
      if (
        !(await signIn(
          { context, request, response },
          userId,
          async () => (await stillRight()) && !(await needsSecondFactor()),
        ))
      )
        throw refused()
      return { body: userResponse(userId, user) }
    },

    signInFactor: async ({ body, context, request, response }) => {
      const pending = pendingSignIns.of(request, 'trader')
      if (!pending) throw noPendingSignIn()
      const userId = userIdSchema.parse(pending.subject)
      const stillRight = async () => credentialsOf((await users.load(userId)).state) === pending.credentials
      if (!(await stillRight())) throw noPendingSignIn()
      const challengePurpose = challengePurposes.secondStep(pending)
      await proofs.accept(body, { owner: pending, request, context: ownContext(context, userId), challengePurpose })
      const { state: user } = await users.load(userId)
      if (user.ban) throw banned(user.ban.reason)
      if (!(await signIn({ context, request, response }, userId, stillRight))) throw noPendingSignIn()
      pendingSignIns.end(response)
      return { body: userResponse(userId, user) }
    },

    passkeySignIn: async ({ body: { passkey }, context, request, response }) => {
      const tried = await throttle.attempt(['signInNetwork', clientNetwork(request)])
      const { data: userId } = userIdSchema.safeParse(ownerIdOf(passkey, 'trader'))
      const user = userId && (await users.load(userId)).state
      if (!userId || !user?.exists) throw new HttpError(401, { message: 'This passkey is not known here' })
      const owner = { kind: 'trader', id: userId } as const
      // No limit per person: nobody guesses a signature, and strangers could use it up.
      await proofs.acceptPasskey(passkey, {
        owner,
        request,
        context: ownContext(context, userId),
        challengePurpose: challengePurposes.signIn,
      })
      await tried.refund()
      if (user.ban) throw banned(user.ban.reason)
      const stillThere = async () =>
        (await factors.load(userId)).state.passkeys.some(({ credentialId }) => credentialId === passkey.id)
      if (!(await signIn({ context, request, response }, userId, stillThere)))
        throw new HttpError(401, { message: 'This passkey is not known here' })
      return { body: userResponse(userId, user) }
    },

    logout: async ({ request, response }) => {
      pendingSignIns.end(response)
      await sessions.end(request, response, 'trader')
      return done()
    },

    forgotPassword: async ({ body, context, request }) => {
      await throttle.attempt(['forgotNetwork', clientNetwork(request)])
      // Checked for every address, so that an unavailable log does not reveal which are known.
      await eventStore.ready()
      const ask = async () => {
        const userId = await addresses.findUser(body.email)
        // The owner can ask for a link, however often strangers do.
        const isOwner = userId !== undefined && devices.knows(request, userId)
        if (isOwner) await throttle.attempt(['forgotDevice', userId])
        const isUsedUp = !isOwner && (await throttle.take('forgotAccount', secrets.emailHash(body.email))) > 0
        if (!userId) return
        const link = createPasswordLink(userId, now() + RESET_LINK_LIFETIME)
        // Who asks may be the owner, whose mailbox has the links that strangers asked for: they work, so no more mails are
        // needed. Without one, another is sent.
        await users.decide(userId, context, (user) =>
          isUsedUp && hasPasswordLink(user, now()) ? [] : requestPasswordReset(user, link),
        )
      }
      // Both cases take the same time and send no position, so that the answer does not reveal whether the address is
      // known.
      const requested = ask()
      await Promise.allSettled([requested, delay(MIN_RESPONSE_MS)])
      await requested
      return { body: { message: 'If the address is registered, a link to reset the password is on its way.' } }
    },

    resetPassword: async ({ body, context, request, response }) => {
      const { userId, isItsHash, check, tried } = await openLink(body.token, request)
      if (await users.isRepeated(userId, ownContext(context, userId))) return done((await users.load(userId)).position)
      const state = await check((user) => checkPasswordLink(user, isItsHash, now()))
      await assertPasswordAllowed(body.password, state, 'password')
      const passwordHash = await passwords.hash(body.password)
      const reset = (user: User) => resetPassword(user, isItsHash, passwordHash, now())
      const { state: after, position } = await endSessionsAround(sessions, ownSessions(userId), () =>
        users.decide(userId, ownContext(context, userId), reset),
      )
      await tried.refund()
      if (after.emailClaim) await throttle.clear('signInAccount', after.emailClaim)
      await throttle.clear('signInDevice', userId)
      // The reader of the account's mail owns it: this browser can sign in even while others guess passwords.
      devices.remember(request, response, userId)
      return done(position)
    },

    confirmEmail: async ({ body, context, request }) => {
      const { userId, check, tried } = await openLink(body.token, request)
      const isItsClaim = (claim: string) => hashesEqual(emailToken(secrets, userId, claim), body.token)
      await check((user) => confirmEmail(user, isItsClaim))
      const { position } = await users.decide(userId, ownContext(context, userId), (user) =>
        confirmEmail(user, isItsClaim),
      )
      await tried.refund()
      return done(position)
    },

    revertEmail: async ({ body, context, request }) => {
      const { userId, isItsHash, check, tried } = await openLink(body.token, request)
      if (await users.isRepeated(userId, ownContext(context, userId))) return done((await users.load(userId)).position)
      const find = (user: User) => findEmailRevert(user, isItsHash, now())
      const { expiresAt } = find(await check(find))
      const own = ownContext(context, userId)
      const link = createPasswordLink(userId, now() + RESET_LINK_LIFETIME)
      const { position } = await endSessionsAround(sessions, ownSessions(userId), async () => {
        // First, so that the link still works after a crash in between.
        await factors.decide(userId, own, (state) => removeFactorsAddedSince(state, expiresAt - EMAIL_REVERT_LIFETIME))
        return decideWithEmail(userId, own, parts, {
          email: (user) => find(user).email,
          decide: (user, claim) => revertEmail(user, find(user), claim, link),
        })
      })
      await tried.refund()
      return done(position)
    },
  } satisfies Partial<Commands<typeof signInRoutes>>
}

/** The duration of a request for a link, in ms, whether or not the address is known. */
export const MIN_RESPONSE_MS = 80
