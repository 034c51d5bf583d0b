import { z } from 'zod'
import { count, oneOf } from './amount.ts'
import type { KnownTrade } from './known-trade.ts'
import { behaviourTerms, countsBesideExclusion, defineBehaviour, type Judge, samePosition } from './behaviour.ts'
import { dateOf } from './day-terms.ts'

const schema = countsBesideExclusion(
  z.strictObject({ kind: z.literal('trades-per-day'), most: count, day: oneOf('opened', 'closed'), ...behaviourTerms }),
)

/** The numbers of days and of their positions so far, the latest days last. */
type Positions = readonly (readonly [day: number, positions: number])[]

/**
 * "Its position is more than the `most`-th of its trading day; `day`: the one on which the position's first observed trade
 * was `opened` or `closed`. A position is numbered once, at its first observed trade." (behaviour.md)
 */
export const tradesPerDay = defineBehaviour(schema, ({ most, day: counted }, { days }): Judge<Positions> => {
  // A trade whose opening nobody knows counts on the day of its close (rules.md).
  const dayOf = ({ openedAt, day }: KnownTrade): number =>
    counted === 'opened' && openedAt ? days.dayOf(openedAt.ms) : day
  return {
    start: [],
    judge(own, trade, since, isHit) {
      const earlier = samePosition(trade, since)
      const [first] = earlier
      if (first) return { own, hits: [], joins: isHit(first) ? first : null }
      const day = dayOf(trade)
      const place = own.findLastIndex(([known]) => known === day)
      const positions = (own[place]?.[1] ?? 0) + 1
      const next: Positions = place < 0 ? [...own, [day, positions]] : own.with(place, [day, positions])
      return { own: next, hits: positions > most ? [{ trades: [trade] }] : [], joins: null }
    },
    inWords(trade, known) {
      const firstOf = (one: KnownTrade) => samePosition(one, known)[0] ?? one
      const first = firstOf(trade)
      const day = dayOf(first)
      const positions = known.filter((one) => one.index <= first.index && dayOf(one) === day && firstOf(one) === one)
      return `is of position ${positions.length} ${counted} on the trading day ${dateOf(day)}; at most ${most}`
    },
  }
})
