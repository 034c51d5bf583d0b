import { z } from 'zod'
import { behaviourTerms, countsBesideExclusion, defineBehaviour, judgedAlone, remembersNothing } from './behaviour.ts'
import { matcherOf, symbolNames } from './symbol-name.ts'

const schema = countsBesideExclusion(
  z
    .strictObject({
      kind: z.literal('symbols'),
      allowed: symbolNames.nullable(),
      forbidden: symbolNames.nullable(),
      ...behaviourTerms,
    })
    .refine(({ allowed, forbidden }) => (allowed === null) !== (forbidden === null), {
      path: ['forbidden'],
      error: 'expected one of "allowed" and "forbidden" to be a list, and the other to be null',
    }),
)

/** "No name in `allowed` matches its symbol, or one in `forbidden` does." (behaviour.md) */
export const symbols = defineBehaviour(schema, ({ allowed, forbidden }) => {
  const matches = matcherOf(allowed ?? forbidden ?? [])
  const isHit = (symbol: string) => matches(symbol) === (allowed === null)
  return {
    start: remembersNothing,
    judge: (_, trade) => (trade.symbol === null ? 'unknown' : judgedAlone(trade, isHit(trade.symbol))),
    inWords: () => (allowed === null ? 'is in a forbidden symbol' : 'is in a symbol that is not allowed'),
  }
})
