import { INVALID_ACCESS_KEY, routes } from '../api/index.ts'
import { signInAdmin } from '../domain/staff/access-key.ts'
import { HttpError } from '../http/http-errors.ts'
import { done } from '../http/serve-route.ts'
import type { Actor } from '../event-sourcing/codec/metadata.ts'
import { hashesEqual } from '../keys/derived-secrets.ts'
import { adminKeyIdOf, UNKNOWN_KEY_ID } from '../use-cases/access-keys.ts'
import { type CommandDependencies, type RegisterCommand, aggregatesOf } from './command-dependencies.ts'
import { createKnownDevices } from './known-devices.ts'
import { addressOf } from './session-commands.ts'
import { takeAttempt } from './throttle.ts'

/** What a browser is remembered to have been opened for, whatever the key. */
const ADMIN = 'admin'

/** Signing in with an access key; good or bad, it is a fact (security checklist 16.3.1). */
export function registerStaffSessionCommands(register: RegisterCommand, parts: CommandDependencies): void {
  const { repositories, secrets, sessions, throttle, log } = parts
  const devices = createKnownDevices('admin-device', parts)
  const { adminKeys } = aggregatesOf(repositories)

  register(routes.adminLogin, async ({ body, context, request, response }) => {
    const keyHash = secrets.accessKeyHash(body.accessKey)
    const id = adminKeyIdOf(keyHash)
    const limit = devices.knows(request, ADMIN) ? throttle.adminDevice : throttle.adminAddress
    const tried = await takeAttempt([[limit, addressOf(request)]])
    const { issued } = (await adminKeys.load(id)).state
    const actor: Actor = issued ? { kind: 'admin', id, label: issued.label } : context.actor
    // A key that nobody ever issued gets no stream of its own: refusals of such keys stand together in one.
    const { events } = await adminKeys.decide(issued ? id : UNKNOWN_KEY_ID, { ...context, actor }, (key) =>
      signInAdmin(key, (hash) => hashesEqual(hash, keyHash)),
    )
    if (!issued || events[0]?.type !== 'AdminSignedIn') {
      log.info({ requestId: request.requestId, address: request.ip, key: issued ? id : undefined }, 'admin sign-in refused')
      throw new HttpError(401, { message: INVALID_ACCESS_KEY })
    }
    await tried.refund()
    await sessions.start(request, response, 'admin', id)
    devices.remember(request, response, ADMIN)
    log.info({ requestId: request.requestId, address: request.ip, key: id, label: issued.label }, 'admin signed in')
    return { body: { isAdmin: true, role: issued.role, label: issued.label } }
  })

  register(routes.adminLogout, async ({ request, response }) => {
    await sessions.end(request, response, 'admin')
    return done()
  })
}
