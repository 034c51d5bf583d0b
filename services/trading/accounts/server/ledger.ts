import type { Response } from 'express'
import { sendCsv } from '#services/framework/http/csv.ts'
import { accountStreams } from '#services/trading/stream/account-aggregate.ts'
import { accountId } from '#services/framework/ids.ts'
import { balanceChanges } from '../balance-read-model.ts'
import { accountIn, accountWith } from './account-of-document.ts'
import { movementsOf } from './standings.ts'
import type { TradingParts } from '#services/trading/parts.ts'
import { isoTime } from '#services/framework/event-description.ts'
import type { Commands, Queries } from '#services/framework/module.ts'
import { ownUser } from './own-user.ts'
import { users } from '../user-read-model.ts'
import { toDecimal } from '#services/rules/money.ts'
import type { LedgerEntry, ledgerRoutes } from '../ledger-api.ts'
import { explanations } from '#services/trading/stream/ledger-difference.ts'
import { bookEntry } from '#services/trading/stream/booked-entry.ts'

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

const needs = [users, balanceChanges]

/** The ledger of an account, for its trader and for staff. */
export function ledgerQueries(parts: TradingParts['queries']): Queries<typeof ledgerRoutes> {
  const { repositories, throttle, now } = parts

  const sendLedger = async (response: Response, accountId: string) => {
    const rows = async function* () {
      yield (await ledgerOf(parts, accountId)).map((entry) => Object.values(columns).map((cell) => cell(entry)))
    }
    const name = `ledger-${accountId}-${new Date(now()).toISOString().slice(0, 10)}.csv`
    await sendCsv(response, name, Object.keys(columns), rows())
    return undefined
  }

  return {
    ledger: {
      needs,
      handle: async ({ params: { id } }) => ({ body: await ledgerOf(parts, (await accountWith(parts, id)).id) }),
    },

    ledgerExport: {
      needs,
      handle: async ({ caller, params, response, context }) => {
        const id = accountId.parse((await accountWith(parts, params.id)).id)
        await throttle.attempt(['exportAccessKey', caller.id])
        // Recorded before it begins, as a download of the history that it is a part of.
        const downloaded = { type: 'HistoryDownloaded', data: { format: 'csv' } } as const
        await repositories.of(accountStreams).decide(id, context, () => [downloaded])
        return sendLedger(response, id)
      },
    },

    ownLedger: {
      needs,
      handle: async ({ caller: { userId }, query }) => ({
        body: await ledgerOf(parts, accountIn(await ownUser(parts, userId), query.account).id),
      }),
    },

    ownLedgerExport: {
      needs,
      handle: async ({ caller: { userId }, query, response }) => {
        const account = accountIn(await ownUser(parts, userId), query.account)
        await throttle.attempt(['exportTrader', userId])
        return sendLedger(response, account.id)
      },
    },
  }
}

async function ledgerOf(parts: Pick<TradingParts['queries'], 'readModels'>, accountId: string): Promise<LedgerEntry[]> {
  const entries = (await movementsOf(parts, accountId)).flatMap(({ entry, at, number, balance }) =>
    entry && balance !== null ? [{ ...entry, at, number, balance }] : [],
  )
  const explained = explanations(entries)
  return entries.map(({ kind, amount, payoutId, booking, at, number, balance }, index) => {
    const why = explained[index]
    return {
      kind,
      amount: toDecimal(amount),
      currency: 'USD',
      at: isoTime(at),
      payoutId,
      balance: toDecimal(balance),
      reference: booking?.reference ?? null,
      reason: booking?.reason ?? null,
      event: number,
      explained: why ? toDecimal(why.explained) : null,
      unexplained: why ? toDecimal(why.unexplained) : null,
    }
  })
}

const columns: Readonly<Record<string, (entry: LedgerEntry) => string>> = {
  Event: ({ event }) => String(event),
  Time: ({ at }) => at,
  Kind: ({ kind }) => kind,
  Amount: ({ amount }) => amount,
  Currency: ({ currency }) => currency,
  Balance: ({ balance }) => balance,
  Payout: ({ payoutId }) => payoutId ?? '',
  Reference: ({ reference }) => reference ?? '',
  Reason: ({ reason }) => reason ?? '',
  Explained: ({ explained }) => explained ?? '',
  Unexplained: ({ unexplained }) => unexplained ?? '',
}
