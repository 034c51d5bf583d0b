import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Trade } from './observation.ts'
import { parsed, rule, run, rulesOfStage, type Written } from '#test-support/rules.ts'
import { randomSeed } from '#test-support/random-seed.ts'

/**
 * The hits of a stage counted again by the sentences of behaviour.md alone: each trade against all others, with everything
 * known. The engine, which sees one trade after the other, has to come to the same.
 */

const START = Date.UTC(2026, 9, 26)
const minutes = (number: number) => new Date(START + number * 60_000).toISOString()

const anyTrade = fc
  .record({
    openedAt: fc.option(fc.nat(600), { freq: 12 }),
    held: fc.constantFrom(0, 1, 5, 30, 30, 200),
    id: fc.uuid(),
    profit: fc.integer({ min: -300, max: 600 }).map((dollars) => `${dollars}.00`.replace('-0.00', '0.00')),
    volume: fc.constantFrom('0.5', '1', '1.000000000000001'),
    symbol: fc.option(fc.constantFrom('EURUSD', 'XAUUSD'), { freq: 12 }),
    side: fc.option(fc.constantFrom('buy', 'sell'), { freq: 12 }),
  })
  .map(({ openedAt, held, id, profit, volume, symbol, side }): Written => ({
    ...{ at: minutes((openedAt ?? 0) + held), kind: 'trade', id, profit, volume },
    ...(openedAt !== null && { openedAt: minutes(openedAt) }),
    ...(symbol !== null && { symbol }),
    ...(side !== null && { side }),
  }))

interface Counted {
  readonly hits: number
  readonly unknown: number
  /** In cents. */
  readonly excluded: number
}

const opening = ({ openedAt }: Trade) => openedAt?.ms ?? Number.NaN
const isOpenAt = (trade: Trade, ms: number) => opening(trade) <= ms && ms < trade.at.ms
const positionOf = ({ symbol, side, openedAt, id }: Trade) =>
  symbol && side && openedAt ? `${symbol} ${side} ${openedAt.ms}` : id
/** In the order of their first trades. */
function positionsOf(trades: readonly Trade[]): (readonly Trade[])[] {
  const names = [...new Set(trades.map(positionOf))]
  return names.map((name) => trades.filter((trade) => positionOf(trade) === name))
}
const units = (volume: string) => {
  const [whole = '', fraction = ''] = volume.split('.')
  return BigInt(whole + fraction.padEnd(15, '0'))
}
const together = (trades: readonly Trade[]) => trades.reduce((sum, { volume }) => sum + units(volume), 0n)
const profitOf = (trades: readonly Trade[]) => trades.reduce((sum, { profit }) => sum + Math.max(profit, 0), 0)
const most = units('2')

const kinds: Readonly<
  Record<string, { readonly terms: Written; readonly count: (trades: readonly Trade[]) => Counted }>
> = {
  hedging: {
    terms: { kind: 'hedging' },
    count(trades) {
      const known = trades.filter(({ symbol, side, openedAt }) => symbol && side && openedAt)
      const isHit = (one: Trade) =>
        known.some(
          (other) =>
            other.symbol === one.symbol &&
            other.side !== one.side &&
            Math.max(opening(one), opening(other)) < Math.min(one.at.ms, other.at.ms),
        )
      const hits = known.filter(isHit)
      return { hits: hits.length, unknown: trades.length - known.length, excluded: profitOf(hits) }
    },
  },
  'volume together': {
    terms: { kind: 'volume', most: '2', per: 'open', symbols: null },
    count(trades) {
      const known = trades.filter(({ openedAt }) => openedAt)
      const hits = known.filter((one) => {
        const others = known.filter((other) => other !== one && isOpenAt(other, opening(one)))
        return together([one, ...others]) > most
      })
      return { hits: hits.length, unknown: trades.length - known.length, excluded: profitOf(hits) }
    },
  },
  'volume of a position': {
    terms: { kind: 'volume', most: '2', per: 'trade', symbols: ['EUR*'] },
    count(trades) {
      const ones = trades.filter(({ symbol }) => symbol === 'EURUSD')
      const positions = positionsOf(ones)
      const hits = positions.filter((position) => together(position) > most)
      const unknown = trades.filter(({ symbol }) => symbol === undefined).length
      return { hits: hits.length, unknown, excluded: profitOf(hits.flat()) }
    },
  },
  'trades per day': {
    terms: { kind: 'trades-per-day', most: 3, day: 'closed' },
    count(trades) {
      const positions = positionsOf(trades)
      // Within ten hours after midnight all are of one day.
      const hits = positions.slice(3)
      return { hits: hits.length, unknown: 0, excluded: profitOf(hits.flat()) }
    },
  },
}

it.each(Object.entries(kinds))('%s comes to what the trades say all together', (_, { terms, count }) => {
  let hits = 0
  fc.assert(
    fc.property(fc.uniqueArray(anyTrade, { selector: ({ id }) => id, minLength: 1, maxLength: 40 }), (written) => {
      const trades = parsed(written)
      const rules = rulesOfStage({ rules: [rule({ ...terms, consequence: 'excludes-profit' })] })
      const line = run(rules, trades).lines.at(-1)?.rules[0]
      const expected = count(trades.filter((one) => one.kind === 'trade'))
      hits += expected.hits
      expect({ hits: line?.hits, unknown: line?.unknown, excluded: Math.round(Number(line?.excluded) * 100) }).toEqual(
        expected,
      )
    }),
    { numRuns: 300, seed: randomSeed(), examples: [[[...overlapping]]] },
  )
  expect(hits).toBeGreaterThan(0)
})

/** Each kind hits some of these. */
const overlapping: readonly Written[] = ['buy', 'sell', 'buy', 'buy', 'sell', 'buy'].map((side, index) => ({
  ...{ at: minutes(100 + index), kind: 'trade', id: `T${index}`, openedAt: minutes(index < 3 ? 10 : index), side },
  ...{ profit: '10.00', volume: '1.5', symbol: 'EURUSD' },
}))
