import type { ProgrammesParts } from '#services/programmes/parts.ts'
import type { Queries } from '#services/framework/module.ts'
import { programmes } from '#services/programmes/programmes/programme-read-model.ts'
import { offeredVersion } from '#services/programmes/programmes/programme.ts'
import { accountSizes, challenges, programmeOf } from '#services/programmes/programmes/challenges.ts'
import type { offerRoutes } from '../offer-api.ts'
import { offers } from './offers.ts'

const sold = challenges.flatMap((challenge) => accountSizes.map((size) => programmeOf(challenge, size)))

/** The evaluation accounts for sale, with what their programmes say now. */
export function offerQueries({ config, readModels }: ProgrammesParts['queries']): Queries<typeof offerRoutes> {
  return {
    offers: {
      needs: [programmes],
      handle: async () => {
        const found = await readModels.getMany(programmes, sold)
        const termsOf = (id: string) => offeredVersion(found.get(id)?.versions ?? [])?.version.terms
        return { body: offers(config.purchaseUrl, termsOf) }
      },
    },
  }
}
