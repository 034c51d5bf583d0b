import { z } from 'zod'
import type { KnownTrade } from './known-trade.ts'
import { behaviourTerms, countsBesideExclusion, defineBehaviour, remembersNothing } from './behaviour.ts'
import { compareInstants } from './instant.ts'

const schema = countsBesideExclusion(z.strictObject({ kind: z.literal('hedging'), ...behaviourTerms }))

/** "At some instant it and a trade of the same symbol (equal texts) and the other side were open. Both hit." (behaviour.md) */
export const hedging = defineBehaviour(schema, () => ({
  start: remembersNothing,
  judge(_, trade, since, isHit) {
    const { symbol, side, openedAt } = trade
    if (symbol === null || side === null || !openedAt) return 'unknown'
    const others = since.filter((other) => isOpposite(trade, other) && meet(trade, other))
    const hits = [...others.filter((other) => !isHit(other)), ...(others.length > 0 ? [trade] : [])]
    return { own: null, hits: hits.map((one) => ({ trades: [one] })), joins: null }
  },
  inWords(trade, known) {
    const other = known.find((one) => isOpposite(trade, one) && (meet(trade, one) || meet(one, trade)))
    return `was open together with ${other ? `trade ${other.id}` : 'another trade'} in the opposite direction`
  },
}))

function isOpposite({ symbol, side }: KnownTrade, other: KnownTrade): boolean {
  return symbol !== null && other.symbol === symbol && other.side === (side === 'buy' ? 'sell' : 'buy')
}

/** "A trade is open from `openedAt` up to and without `at`." */
function wasOpen({ openedAt, closedAt }: KnownTrade): boolean {
  return openedAt !== null && compareInstants(openedAt, closedAt) < 0
}

/** Whether both were open at some instant. The other closed no later than the trade. */
function meet(trade: KnownTrade, other: KnownTrade): boolean {
  return (
    wasOpen(trade) &&
    wasOpen(other) &&
    trade.openedAt !== null &&
    compareInstants(trade.openedAt, other.closedAt) < 0 &&
    other.openedAt !== null &&
    compareInstants(other.openedAt, trade.closedAt) < 0
  )
}
