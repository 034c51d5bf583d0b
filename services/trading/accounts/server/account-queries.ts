import type { TradingParts } from '#services/trading/parts.ts'
import type { Queries } from '#services/framework/module.ts'
import { stampOrNoneResponse } from '#services/framework/decision-stamp.ts'
import { accountId, ownerOf } from '#services/framework/ids.ts'
import { ownUser } from './own-user.ts'
import { users } from '../user-read-model.ts'
import type { accountRoutes } from '../account-api.ts'
import { accountIn, accountWith } from './account-of-document.ts'
import { listedOwnAccount, ownAccountResponse, staffAccountResponse } from './account-responses.ts'
import { performanceQueries } from './performance-queries.ts'
import { payoutsInWords } from '#services/rules/terms-in-words.ts'
import { centsOf } from '#services/rules/money.ts'
import { stageTermsOf } from '#services/trading/stream/programme-stage.ts'
import { stageEvents } from '../stage-read-model.ts'
import { payouts } from '../payout-read-model.ts'
import { payoutTerms } from './payout-terms.ts'
import { standingNeeds, standingOf, standingResponse } from './standings.ts'

/** A trader's own accounts, and the performance of accounts. */
export function accountQueries(parts: TradingParts['queries']): Queries<typeof accountRoutes> {
  return {
    ...performanceQueries(parts),
    ownAccounts: {
      needs: [users],
      handle: async ({ caller: { userId } }) => {
        const { accounts, account: current } = await ownUser(parts, userId)
        return { body: accounts.toReversed().map((account) => listedOwnAccount(account, current)) }
      },
    },

    ownStanding: {
      needs: standingNeeds,
      handle: async ({ caller: { userId }, query }) => {
        const account = accountIn(await ownUser(parts, userId), query.account)
        return { body: standingResponse(account.id, await standingOf(parts, account)) }
      },
    },

    standing: {
      needs: standingNeeds,
      handle: async ({ params: { id } }) => {
        const account = await accountWith(parts, id)
        return { body: standingResponse(account.id, await standingOf(parts, account)) }
      },
    },

    payoutTerms: {
      needs: [users, stageEvents, payouts],
      handle: async ({ params: { id } }) => {
        const account = await accountWith(parts, id)
        const set = stampOrNoneResponse(account.termsStamp, 'admin')
        const found = set && (await payoutTerms(parts, account.id))
        if (!found) return { body: { set: null, words: [], payout: null } }
        const stage = stageTermsOf(found.terms, found.stage)
        const words = stage.funded ? payoutsInWords(stage.payouts, centsOf(found.terms.accountSize)) : []
        return { body: { set, words, payout: found.payout } }
      },
    },

    account: {
      needs: [users, stageEvents, payouts],
      handle: async ({ params: { id } }) => {
        const account = await accountWith(parts, id)
        const found = account.termsStamp && (await payoutTerms(parts, account.id))
        const key = await parts.personKeys.keyOf(ownerOf(accountId.parse(account.id)))
        return { body: staffAccountResponse(account, key, found?.payout) }
      },
    },

    ownAccount: {
      needs: [users, stageEvents, payouts],
      handle: async ({ caller: { userId }, query }) => {
        const account = accountIn(await ownUser(parts, userId), query.account)
        const found = account.termsStamp && (await payoutTerms(parts, account.id))
        return { body: ownAccountResponse(account, await parts.personKeys.keyOf(userId), found?.payout) }
      },
    },
  }
}
