import { accountStreams } from '#services/trading/stream/account-aggregate.ts'
import type { TradingParts } from '#services/trading/parts.ts'
import type { Commands } from '#services/framework/module.ts'
import { toDecimal } from '#services/rules/money.ts'
import { bookEntry } from '#services/trading/stream/booked-entry.ts'
import type { ledgerRoutes } from '../ledger-api.ts'

/** Entries that staff book. */
export function ledgerCommands({ repositories }: TradingParts['commands']): Commands<typeof ledgerRoutes> {
  const accounts = repositories.of(accountStreams)
  return {
    bookEntry: async ({ params, body, context }) => {
      const { id } = params
      const { state, position } = await accounts.decide(id, context, (account) => bookEntry(account, body))
      const booked = state.ledger.booked.get(body.reference)
      if (!booked) throw new Error(`The entry ${body.reference} of ${id} is not on record`)
      const { kind, from, to } = booked
      const answer = { kind, amount: toDecimal(to - from), balance: toDecimal(to), reference: body.reference }
      return { status: 201, body: answer, position }
    },
  }
}
