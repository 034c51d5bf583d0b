import type { Request, Response } from 'express'
import { exactTotal } from '#services/framework/http/list-total.ts'
import { setPaginationHeaders } from '#services/framework/http/pagination.ts'
import { toDecimal } from '#services/rules/money.ts'
import type { AccountDocument } from '../account-document.ts'
import { stageEvents } from '../stage-read-model.ts'
import { down, exactly, isNothing, minus, most, nothing, up } from '#services/rules/exact.ts'
import { hitInWords } from '#services/rules/hit-trades.ts'
import { itemAt } from '#services/rules/log.ts'
import { ruleKindLabels } from '#services/rules/rule-kind-labels.ts'
import { stageTermsOf } from '#services/trading/stream/programme-stage.ts'
import { rulesOfStage, type Stage } from '#services/trading/stream/stage.ts'
import type { AccountTrade, TradeHit } from '../standing-api.ts'
import type { RecordedHit, RecordedTrade } from '../trading-record.ts'
import type { StageFound } from './stages.ts'
import { tradingRecordOf } from './trading-records.ts'
import { HttpError } from '#services/framework/http/http-errors.ts'
import { type Audience, stampResponse } from '#services/framework/decision-stamp.ts'
import type { TradingParts } from '#services/trading/parts.ts'
import { isoTime } from '#services/framework/event-description.ts'
import type { Queries } from '#services/framework/module.ts'
import { ownUser } from './own-user.ts'
import { type UserDocument, users } from '../user-read-model.ts'
import type { AccountHistory, accountRoutes } from '../account-api.ts'
import { type DecisionDocument, decisions } from '../decision-read-model.ts'
import { accountIn, accountWith } from './account-of-document.ts'
import { movementsOf, standingNeeds } from './standings.ts'
import { tradingByBalance, tradingByProgramme } from './trading-response.ts'

/** More than any account has. */
const MOST_DECISIONS = 100_000

/** Only the newest are shown. */
export const MAX_MARKERS = 1_000

/** The balance of an account over time, with the decisions along the way. */
export function performanceQueries(parts: TradingParts['queries']) {
  const { readModels, stages, now } = parts
  const historyOf = async (
    user: UserDocument,
    wanted: string | undefined,
    reader: Audience,
  ): Promise<{ body: AccountHistory }> => {
    const account = accountIn(user, wanted)
    const { id: accountId } = account
    // Decisions about the user, such as a ban, are marked on all accounts.
    const where = { about: [accountId, user.id] }
    const marked = await readModels.find(decisions, { where, limit: MAX_MARKERS })
    const markers = marked.documents
      .toSorted((one, other) => one.at - other.at || one.number - other.number)
      .map((each) => markerResponse(each, reader))
    const found = account.programme && (await stages.of(accountId))
    const trading = found
      ? tradingByProgramme(accountId, found, now())
      : tradingByBalance(await movementsOf(parts, accountId), now())
    const olderMarkers =
      marked.next === undefined ? 0 : (await readModels.count(decisions, { where }, MOST_DECISIONS)) - MAX_MARKERS
    return { body: { ...trading, markers, olderMarkers } }
  }

  const tradesOf: TradesOf = async (account, { only, limit, cursor }, { request, response }) => {
    const found = account.programme && (await stages.of(account.id))
    const all = found ? tradingRecordOf(account.id, found, now()).trades.map((trade, index) => ({ trade, index })) : []
    const trades = only === 'marked' ? all.filter(({ trade }) => trade.hits.length > 0) : all
    // Counted from the oldest: a page stays where it is when trades are closed meanwhile.
    const end = Math.min(trades.length, Number(cursor ?? trades.length) || 0)
    const start = Math.max(0, end - limit)
    setPaginationHeaders(request, response, { next: start > 0 ? String(start) : undefined }, exactTotal(trades.length))
    const page = trades.slice(start, end).toReversed()
    return { body: found ? page.map(({ trade, index }) => tradeResponse(found, trade, index)) : [] }
  }

  return {
    ownTrades: {
      needs: [users, stageEvents],
      handle: async ({ caller, query, ...http }) =>
        tradesOf(accountIn(await ownUser(parts, caller.userId), query.account), query, http),
    },

    trades: {
      needs: [users, stageEvents],
      handle: async ({ params: { id }, query, ...http }) => tradesOf(await accountWith(parts, id), query, http),
    },

    ownHistory: {
      needs: [...standingNeeds, decisions],
      handle: async ({ caller, query }) => historyOf(await ownUser(parts, caller.userId), query.account, 'trader'),
    },

    history: {
      needs: [...standingNeeds, decisions],
      handle: async ({ params: { id }, query }) => {
        const user = await readModels.get(users, id)
        if (!user) throw new HttpError(404, { message: 'User not found' })
        return historyOf(user, query.account, 'admin')
      },
    },
  } satisfies Partial<Queries<typeof accountRoutes>>
}

type TradesOf = (
  account: AccountDocument,
  page: { readonly only?: 'marked' | undefined; readonly limit: number; readonly cursor?: string | undefined },
  http: { readonly request: Request; readonly response: Response },
) => Promise<{ body: AccountTrade[] }>

/** @param index of the trade among those of the stage */
function tradeResponse({ stage }: StageFound, trade: RecordedTrade, index: number): AccountTrade {
  const { openedAt, closedAt, result, balance, hits, ...rest } = trade
  const { symbol = null, side = null, openPrice = null, closePrice = null } = rest
  const [opened, closed] = [openedAt === null ? null : isoTime(openedAt), isoTime(closedAt)]
  // "Of several rules that exclude the same trade, the one that excludes most decides." (behaviour.md)
  const excluded = hits.reduce((sum, hit) => most(sum, hit.excluded), nothing)
  return {
    ...{ ...rest, symbol, side, openPrice, closePrice, openedAt: opened, closedAt: closed },
    ...{ result: toDecimal(result), balance: toDecimal(balance) },
    hits: hits.flatMap((hit) => hitResponse(stage, hit, index)),
    counts: isNothing(excluded) ? null : toDecimal(down(minus(exactly(result), excluded))),
  }
}

function hitResponse(stage: Stage, { rule, outcome, excluded, event }: RecordedHit, index: number): TradeHit[] {
  const { engine } = stage.timeline
  const [terms, trade] = [stageTermsOf(stage.terms, stage.index).rules[rule], itemAt(engine.known.trades, index)]
  if (!terms || !trade) return []
  const rules = rulesOfStage(stage)
  const what = hitInWords(rules, engine, rule, trade)
  const title = ruleKindLabels[terms.kind] ?? terms.kind
  return [{ rule, kind: terms.kind, title, outcome, excluded: toDecimal(up(excluded)), what, event }]
}

function markerResponse(
  { number, at, actor, stream, type, label, reason, notice }: DecisionDocument,
  reader: Audience,
): AccountHistory['markers'][number] {
  const stamp = { number, at, by: actor.kind, name: actor.kind === 'trader' ? null : actor.label }
  const amount = typeof notice?.amount === 'number' ? toDecimal(notice.amount) : null
  const to = notice?.changes.find(({ field }) => field === 'account.status' || field === 'account.phase')?.to
  const occurredAt = to === 'breached' ? notice?.evidence?.occurredAt : undefined
  const became = { amount, to: typeof to === 'string' ? to : null, corrects: notice?.corrects ?? null }
  const happened = occurredAt !== undefined && { occurredAt: isoTime(occurredAt) }
  return { ...stampResponse(stamp, reader), stream, type, label, ...became, ...happened, why: reason || null }
}
