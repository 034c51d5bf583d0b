import type { QueryDependencies } from '#services/modules/dependencies.ts'
import type { Queries } from '#services/modules/module.ts'
import { type offerRoutes, offers } from '../offer-api.ts'

/** The evaluation accounts for sale. */
export function offerQueries({ config }: QueryDependencies): Queries<typeof offerRoutes> {
  return {
    offers: { needs: [], handle: async () => ({ body: offers(config.purchaseUrl) }) },
  }
}
