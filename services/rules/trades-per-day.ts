import { z } from 'zod'
import { count, oneOf } from './amount.ts'
import { behaviourTerms, countsBesideExclusion, defineBehaviour, type Judge, samePosition } from './behaviour.ts'

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
  return {
    start: [],
    judge(own, trade, since, isHit) {
      const earlier = samePosition(trade, since)
      const [first] = earlier
      if (first) return { own, hits: [], joins: isHit(first) ? first : null }
      // A trade whose opening nobody knows counts on the day of its close (rules.md).
      const day = counted === 'opened' && trade.openedAt ? days.dayOf(trade.openedAt.ms) : trade.day
      const place = own.findLastIndex(([known]) => known === day)
      const positions = (own[place]?.[1] ?? 0) + 1
      const next: Positions = place < 0 ? [...own, [day, positions]] : own.with(place, [day, positions])
      return { own: next, hits: positions > most ? [{ trades: [trade] }] : [], joins: null }
    },
  }
})
