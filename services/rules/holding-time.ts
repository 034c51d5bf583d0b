import { z } from 'zod'
import { count, oneOf } from './amount.ts'
import { behaviourTerms, countsBesideExclusion, defineBehaviour, judgedAlone, remembersNothing } from './behaviour.ts'
import { compareInstants, type Instant, shifted } from './instant.ts'

const schema = countsBesideExclusion(
  z.strictObject({
    kind: z.literal('holding-time'),
    /** Seconds. */
    atLeast: count,
    of: oneOf('all', 'profitable'),
    ...behaviourTerms,
  }),
)

/** "It was held for less than `atLeast` seconds; `of`: `all` trades or `profitable` ones." (behaviour.md) */
export const holdingTime = defineBehaviour(schema, ({ atLeast, of }) => ({
  start: remembersNothing,
  judge(_, trade) {
    if (!trade.openedAt) return 'unknown'
    return judgedAlone(trade, (of === 'all' || trade.profit > 0) && isShorter(trade.openedAt, trade.closedAt, atLeast))
  },
  inWords: ({ openedAt, closedAt }) =>
    `was held for ${secondsText(openedAt ?? closedAt, closedAt)}; ${of === 'all' ? '' : 'profitable trades '}at least ${atLeast} s`,
}))

/** '41 s', '0.25 s': whole milliseconds, so that what is too short is shown as too short. */
function secondsText(from: Instant, to: Instant): string {
  const ms = to.ms - from.ms - (to.ns < from.ns ? 1 : 0)
  return `${ms / 1000} s`
}

/** Whether less than so many seconds passed. */
export function isShorter(from: Instant, to: Instant, seconds: number): boolean {
  return compareInstants(to, shifted(from, seconds * 1000)) < 0
}
