import { fieldFailure } from '#services/framework/api/error-schemas.ts'
import type { staffRoutes } from '../staff-api.ts'
import type { MemberChanges } from '../access-key.ts'
import { HttpError } from '#services/framework/http/http-errors.ts'
import { done } from '#services/framework/http/serve-route.ts'
import { AccessKeys, newAccessKey } from './access-keys.ts'
import type { IdentityParts } from '#services/identity/parts.ts'
import type { Commands } from '#services/framework/module.ts'

/** Members of staff: their access keys, roles and expiry. Keys are in one answer each, and never stored. */
export function staffCommands(parts: IdentityParts['commands']) {
  const { repositories, secrets, sessions, stepUp, now, log } = parts
  const keys = new AccessKeys(repositories, secrets)

  const expiryOf = (expiresAt: string | null | undefined): number | null => {
    if (expiresAt === null || expiresAt === undefined) return null
    const at = Date.parse(expiresAt)
    if (at <= now()) throw new HttpError(400, fieldFailure('expiresAt', 'Please choose a date in the future'))
    return at
  }

  return {
    addStaffMember: async ({ body: { name, role, expiresAt }, context, caller, request }) => {
      await stepUp.assertConfirmed({ caller, request })
      const { id, accessKey, position, isRepeated } = await keys.issue(name, role, context, {
        accessKey: newAccessKey(context),
        expiresAt: expiryOf(expiresAt),
      })
      log.info({ requestId: request.requestId, key: caller.id, member: id, role }, 'access key issued')
      return { status: 201, body: { id, ...(!isRepeated && { accessKey }) }, position }
    },

    changeStaffMember: async ({ params, body: { name, role, expiresAt }, context, caller, request }) => {
      const { id } = params
      await stepUp.assertConfirmed({ caller, request })
      const changes: MemberChanges = {
        label: name,
        role,
        expiresAt: expiresAt === undefined ? undefined : expiryOf(expiresAt),
      }
      return done(await keys.change(id, changes, context, sessions))
    },

    replaceStaffKey: async ({ params, body, context, caller, request }) => {
      const { id } = params
      await stepUp.assertConfirmed({ caller, request })
      const { accessKey, position, isRepeated } = await keys.replace(id, context, sessions, {
        accessKey: newAccessKey(context),
        expiresAt: expiryOf(body.expiresAt),
      })
      log.info({ requestId: request.requestId, key: caller.id, member: id }, 'access key replaced')
      return { body: { id, ...(!isRepeated && { accessKey }) }, position }
    },

    revokeStaffMember: async ({ params, context, caller, request }) => {
      const { id } = params
      await stepUp.assertConfirmed({ caller, request })
      return done(await keys.revoke(id, context, sessions))
    },
  } satisfies Partial<Commands<typeof staffRoutes>>
}
