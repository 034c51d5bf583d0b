import { done } from '#services/framework/http/serve-route.ts'
import type { Commands } from '#services/framework/module.ts'
import type { IdentityParts } from '#services/identity/parts.ts'
import type { firmRoutes } from '../firm-api.ts'
import { changeFirm, changeLogo, FIRM_ID, firmStreams } from '../firm.ts'
import type { FirmSettings } from '../firm-vocabulary.ts'
import { readLogo } from './logo-file.ts'

/** Changes the firm's name, colour, addresses and logo. */
export function firmCommands({ repositories }: IdentityParts['commands']): Commands<typeof firmRoutes> {
  const firm = repositories.of(firmStreams)
  return {
    changeFirm: async ({ body, context }) => {
      const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined))
      const changes: Partial<FirmSettings> = given
      return done((await firm.decide(FIRM_ID, context, (state) => changeFirm(state, changes))).position)
    },

    changeLogo: async ({ body, context }) => {
      const logo = readLogo(body.content)
      return done((await firm.decide(FIRM_ID, context, (state) => changeLogo(state, logo))).position)
    },

    removeLogo: async ({ context }) =>
      done((await firm.decide(FIRM_ID, context, (state) => changeLogo(state, null))).position),
  }
}
