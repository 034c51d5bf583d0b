import { adminKeyStreams, type AdminKey, type MemberAccess, signInAdmin } from '#services/identity/staff/access-key.ts'
import { permissionsOf } from '#services/identity/staff/permissions.ts'
import type { Session } from '#infra/session-store/session-store.ts'
import { type signInRoutes, INVALID_ACCESS_KEY } from '../sign-in-api.ts'
import { clientNetwork } from '#services/framework/http/client-network.ts'
import { hasSecondFactor } from '#services/identity/second-factors/second-factor.ts'
import { factorsOf, type FactorOwner } from '#services/identity/second-factors/server/factor-owner.ts'
import { challengePurposes } from '#services/identity/second-factors/server/passkey-options.ts'
import { HttpError, noPendingSignIn, secondFactorRequired } from '#services/framework/http/http-errors.ts'
import { done } from '#services/framework/http/serve-route.ts'
import type { Context } from '#services/event-sourcing/codec/metadata.ts'
import { hashesEqual } from '#services/process/keys/derived-secrets.ts'
import { memberIdOf, UNKNOWN_KEY_ID } from '#services/identity/staff/server/access-keys.ts'
import type { IdentityParts } from '#services/identity/parts.ts'
import { mailFolderOf } from '#services/process/data-folder.ts'
import type { AnyCall, Commands } from '#services/framework/module.ts'
import { createKnownDevices } from '#services/identity/authentication/known-devices.ts'
import { createFactorProofs } from '#services/identity/second-factors/server/second-factor-proofs.ts'

/** The mark of a browser that has used a valid access key, whichever. */
const ADMIN = 'admin'

/**
 * Signing in with an access key. Each success is an event. Refusals are all counted and logged (security checklist
 * 16.3.1), but only some become events: strangers must not make the event log grow.
 */
export function staffSessionCommands(parts: IdentityParts['commands']) {
  const {
    repositories,
    secrets,
    sessions,
    confirmations,
    pendingSignIns,
    throttle,
    onAccessKeyRefused,
    config,
    log,
    now,
  } = parts
  const adminKeys = repositories.of(adminKeyStreams)
  const devices = createKnownDevices('admin-device', parts)
  const factors = factorsOf(repositories, { kind: 'admin' })
  const proofs = createFactorProofs(parts)

  /** Names the access key of a sign-in whose second step is missing. */
  const credentialsOf = (keyHash: string) => secrets.requestDigest(`credentials ${keyHash}`)

  const signedIn = (
    { request, response }: Pick<AnyCall, 'request' | 'response'>,
    session: Session,
    { label, role }: MemberAccess,
  ) => {
    const { subject: id } = session
    confirmations.confirm(response, session)
    devices.remember(request, response, ADMIN)
    log.info({ requestId: request.requestId, address: request.ip, key: id, label }, 'admin signed in')
    return {
      body: { isAdmin: true, id, role, label, permissions: permissionsOf(role), mailFolder: mailFolderOf(config) },
    }
  }

  return {
    adminLogin: async ({ body, context, request, response }) => {
      const keyHash = secrets.accessKeyHash(body.accessKey)
      const id = await memberIdOf(adminKeys, keyHash)
      const network = clientNetwork(request)
      // A browser that has used a valid key can sign in however many others guess.
      const tried = await (devices.knows(request, ADMIN)
        ? throttle.attempt(['accessKeyDevice', network])
        : throttle.attempt(['accessKeyNetwork', network], ['accessKeyInstallation', 'all']))
      const { state } = await adminKeys.load(id)
      const { issued } = state
      const actor: Context['actor'] = issued ? { kind: 'admin', id, label: issued.label } : context.actor
      const decision = (key: AdminKey) => signInAdmin(key, (hash) => hashesEqual(hash, keyHash), now())
      // All unknown keys share one stream.
      const stream = issued ? id : UNKNOWN_KEY_ID
      const opens = decision(state).some(({ type }) => type === 'AdminSignedIn')
      const owner: FactorOwner = { kind: 'admin', id }
      const needsSecondFactor = async () => hasSecondFactor((await factors.load(owner.id)).state)
      if (opens && (await needsSecondFactor())) {
        await tried.refund()
        pendingSignIns.begin(response, { ...owner, subject: id, credentials: credentialsOf(keyHash) })
        throw secondFactorRequired()
      }
      const isRecorded = opens || (await throttle.take('accessKeyRefusalEvent', stream)) === 0
      const events = isRecorded ? (await adminKeys.decide(stream, { ...context, actor }, decision)).events : []
      if (!issued || events[0]?.type !== 'AdminSignedIn') {
        onAccessKeyRefused()
        log.info(
          { requestId: request.requestId, address: request.ip, key: issued ? id : undefined },
          'admin sign-in refused',
        )
        throw new HttpError(401, { message: INVALID_ACCESS_KEY })
      }
      await tried.refund()
      // A revocation, a change and a new key end existing sessions; this ends one that started meanwhile.
      const isStillValid = async () =>
        decision((await adminKeys.load(id)).state).some(({ type }) => type === 'AdminSignedIn') &&
        !(await needsSecondFactor())
      const session = await sessions.start(request, response, 'admin', id, isStillValid)
      if (!session) throw new HttpError(401, { message: INVALID_ACCESS_KEY })
      return signedIn({ request, response }, session, issued)
    },

    staffSignInFactor: async ({ body, context, request, response }) => {
      const pending = pendingSignIns.of(request, 'admin')
      if (!pending) throw noPendingSignIn()
      const { subject: id } = pending
      const { issued, revoked } = (await adminKeys.load(id)).state
      if (!issued || revoked || credentialsOf(issued.keyHash) !== pending.credentials) throw noPendingSignIn()
      const own = { ...context, actor: { kind: 'admin', id, label: issued.label } } as const
      await proofs.accept(body, {
        owner: pending,
        request,
        context: own,
        challengePurpose: challengePurposes.secondStep(pending),
      })
      const signIn = (key: AdminKey) => signInAdmin(key, (hash) => credentialsOf(hash) === pending.credentials, now())
      const { events } = await adminKeys.decide(id, own, signIn)
      const isStillValid = async () =>
        signIn((await adminKeys.load(id)).state).some(({ type }) => type === 'AdminSignedIn')
      const session =
        events[0]?.type === 'AdminSignedIn' && (await sessions.start(request, response, 'admin', id, isStillValid))
      if (!session) throw noPendingSignIn()
      pendingSignIns.end(response)
      return signedIn({ request, response }, session, issued)
    },

    adminLogout: async ({ request, response }) => {
      pendingSignIns.end(response)
      await sessions.end(request, response, 'admin')
      return done()
    },
  } satisfies Partial<Commands<typeof signInRoutes>>
}
