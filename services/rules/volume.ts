import { z } from 'zod'
import { oneOf } from './amount.ts'
import type { KnownTrade } from './known-trade.ts'
import { behaviourTerms, countsBesideExclusion, defineBehaviour, type Judge, samePosition } from './behaviour.ts'
import { compareInstants } from './instant.ts'
import { appendedTo, emptyLog, itemAt, type Log, replacedIn, sizeOf } from './log.ts'
import { volumeText } from './observation.ts'
import { matcherOf, symbolNames } from './symbol-name.ts'

const schema = countsBesideExclusion(
  z.strictObject({
    kind: z.literal('volume'),
    most: volumeText,
    per: oneOf('trade', 'open'),
    symbols: symbolNames.nullable(),
    ...behaviourTerms,
  }),
)

/** Decimals of a volume. */
const PLACES = 15

/** A volume in units of 10^-15, exact. */
function unitsOf(volume: string): bigint {
  const [whole = '', fraction = ''] = volume.split('.')
  return BigInt(whole + fraction.padEnd(PLACES, '0'))
}

/** '12.00', '0.125': with at least two decimals. */
function volumeShown(units: bigint): string {
  const digits = String(units).padStart(PLACES + 1, '0')
  const fraction = digits.slice(-PLACES).replace(/0+$/, '').padEnd(2, '0')
  return `${digits.slice(0, -PLACES)}.${fraction}`
}

function sumOf(trades: readonly KnownTrade[]): bigint {
  return trades.reduce((sum, { volume }) => sum + unitsOf(volume), 0n)
}

/** The volume of a position, or of all that was open together (behaviour.md). */
export const volume = defineBehaviour(schema, ({ most: written, per, symbols }): Judge<Log<string>> => {
  const most = unitsOf(written)
  const matches = symbols && matcherOf(symbols)
  const isAbout = ({ symbol }: KnownTrade): boolean => !matches || (symbol !== null && matches(symbol))
  return per === 'trade' ? perPosition(most, isAbout, matches !== null) : perMoment(most, isAbout, matches !== null)
})

type IsAbout = (trade: KnownTrade) => boolean

/**
 * "The volume of a position is that of its trades observed so far; the hit is found at the trade that lifts it above
 * `most`. Every trade of the position, earlier and later ones too, is then a hit trade."
 */
function perPosition(most: bigint, isAbout: IsAbout, needsSymbol: boolean): Judge<Log<string>> {
  return {
    start: emptyLog,
    judge(own, trade, since) {
      if (needsSymbol && trade.symbol === null) return 'unknown'
      if (!isAbout(trade)) return { own, hits: [], joins: null }
      const earlier = samePosition(trade, since)
      const before = sumOf(earlier)
      const [first] = earlier
      if (first && before > most) return { own, hits: [], joins: first }
      const isHit = before + unitsOf(trade.volume) > most
      return { own, hits: isHit ? [{ trades: [...earlier, trade] }] : [], joins: null }
    },
    inWords(trade, known) {
      const position = samePosition(trade, known)
      const whole = position.length === 0 ? [trade] : position
      return `is of a position with a volume of ${volumeShown(sumOf(whole))}; at most ${volumeShown(most)}`
    },
  }
}

/**
 * "At its opening the volumes of all trades then open, its own included, are together above `most`." What was open then
 * is known only once the last of it has closed: each trade keeps the sum that is known so far.
 */
function perMoment(most: bigint, isAbout: IsAbout, needsSymbol: boolean): Judge<Log<string>> {
  return {
    /** The sum at the opening of each trade, by its index; blank for one that is not summed. */
    start: emptyLog,
    judge(sums, trade, since, isHit) {
      const { openedAt, closedAt, symbol } = trade
      if (!openedAt || (needsSymbol && symbol === null)) return 'unknown'
      if (!isAbout(trade)) return { own: sums, hits: [], joins: null }
      const own = unitsOf(trade.volume)
      let next = sums
      let sum = own
      const hits: { readonly trades: readonly KnownTrade[] }[] = []
      for (const other of since) {
        if (!other.openedAt || !isAbout(other)) continue
        const order = compareInstants(other.openedAt, openedAt)
        if (order <= 0 && compareInstants(openedAt, other.closedAt) < 0) sum += unitsOf(other.volume)
        if (order < 0 || compareInstants(other.openedAt, closedAt) >= 0) continue
        const lifted = BigInt(itemAt(next, other.index) ?? '0') + own
        next = replacedIn(next, other.index, String(lifted))
        if (lifted > most && !isHit(other)) hits.push({ trades: [other] })
      }
      if (sum > most) hits.push({ trades: [trade] })
      return { own: summed(next, trade.index, sum), hits, joins: null }
    },
    inWords(trade, known) {
      const { openedAt } = trade
      const together = known.filter(
        (other) =>
          other.index === trade.index ||
          (openedAt !== null &&
            other.openedAt !== null &&
            isAbout(other) &&
            compareInstants(other.openedAt, openedAt) <= 0 &&
            compareInstants(openedAt, other.closedAt) < 0),
      )
      return `was opened when a volume of ${volumeShown(sumOf(together))} was open together; at most ${volumeShown(most)}`
    },
  }
}

/** Trades that are unknown, or of other symbols, have no sum: their places stay blank. */
function summed(sums: Log<string>, index: number, sum: bigint): Log<string> {
  let filled = sums
  while (sizeOf(filled) < index) filled = appendedTo(filled, '')
  return appendedTo(filled, String(sum))
}
