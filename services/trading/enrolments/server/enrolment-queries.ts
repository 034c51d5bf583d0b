import type { TradingParts } from '#services/trading/parts.ts'
import type { Queries } from '#services/framework/module.ts'
import { programmes } from '#services/programmes/programmes/programme-read-model.ts'
import { termsInWords } from '#services/rules/terms-in-words.ts'
import { ownUser } from '#services/trading/accounts/server/own-user.ts'
import { users } from '#services/trading/accounts/user-read-model.ts'
import type { enrolmentRoutes, OwnEnrolment } from '../enrolment-api.ts'
import { listedEnrolment } from '../listed-enrolment.ts'

/** A trader's own enrolments. */
export function enrolmentQueries(parts: TradingParts['queries']): Queries<typeof enrolmentRoutes> {
  const { readModels } = parts
  return {
    ownEnrolments: {
      needs: [users, programmes],
      handle: async ({ caller: { userId } }) => {
        const { enrolments } = await ownUser(parts, userId)
        const found = await readModels.getMany(programmes, [...new Set(enrolments.map(({ programme }) => programme))])
        const body = enrolments.toReversed().flatMap((enrolment): OwnEnrolment[] => {
          const terms = found.get(enrolment.programme)?.versions[enrolment.version - 1]?.terms
          return terms ? [{ ...listedEnrolment(enrolment), terms, words: termsInWords(terms) }] : []
        })
        return { body }
      },
    },
  }
}
