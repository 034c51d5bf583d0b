import { z } from 'zod'
import { count, oneOf } from './amount.ts'
import { behaviourTerms, countsBesideExclusion, defineBehaviour, judgedAlone, remembersNothing } from './behaviour.ts'
import { impact, type Version } from './calendar.ts'
import { compareInstants, type Instant, shifted } from './instant.ts'
import { listOf } from './symbol-name.ts'

const schema = countsBesideExclusion(
  z.strictObject({
    kind: z.literal('news'),
    /** Minutes. */
    before: count,
    after: count,
    judges: oneOf('opening', 'closing', 'either', 'holding'),
    impacts: listOf(impact, 3),
    ...behaviourTerms,
  }),
)

const MINUTE = 60_000

/**
 * "An entry of the calendar with one of the `impacts` concerns its symbol, and the window from `before` minutes before the
 * entry to `after` minutes after it, both ends included, contains what is judged." (behaviour.md)
 */
export const news = defineBehaviour(schema, (terms, { calendar, currenciesOf }) => {
  const impacts = new Set(terms.impacts)
  const [before, after] = [terms.before * MINUTE, terms.after * MINUTE]

  /** "Each instant is judged by the newest versions published at or before it." */
  const holds = ({ publishedAt, until, impact: of }: Version, instant: Instant): boolean =>
    impacts.has(of) && compareInstants(publishedAt, instant) <= 0 && (!until || compareInstants(instant, until) < 0)

  /** Whether a window meets the time from one instant to another, by the versions of the first. */
  const isNear = (versions: readonly Version[], from: Instant, to: Instant): boolean => {
    const last = shifted(to, before)
    for (let index = firstFrom(versions, shifted(from, -after)); index < versions.length; index++) {
      const version = versions[index]
      if (!version || compareInstants(version.at, last) > 0) return false
      if (holds(version, from)) return true
    }
    return false
  }

  const isHit = (versions: readonly Version[], openedAt: Instant | null, closedAt: Instant): boolean => {
    const opening = openedAt ?? closedAt
    switch (terms.judges) {
      case 'opening':
        return isNear(versions, opening, opening)
      case 'closing':
        return isNear(versions, closedAt, closedAt)
      case 'either':
        return isNear(versions, opening, opening) || isNear(versions, closedAt, closedAt)
      case 'holding':
        return isNear(versions, opening, closedAt)
    }
  }

  return {
    start: remembersNothing,
    judge(_, trade) {
      const { symbol, openedAt, closedAt } = trade
      if (symbol === null || (!openedAt && terms.judges !== 'closing')) return 'unknown'
      const { firstPublishedAt } = calendar
      // "A trade that was opened before anything at all was published": of an unknown opening its close says more.
      if (!firstPublishedAt || compareInstants(openedAt ?? closedAt, firstPublishedAt) < 0) return 'unknown'
      const currencies = currenciesOf(symbol)
      const found = isHit(calendar.versionsFor(symbol, currencies), openedAt, closedAt)
      // "And one whose currencies are unknown, unless an entry with `symbols` hits it."
      return currencies || found ? judgedAlone(trade, found) : 'unknown'
    },
  }
})

/** The index of the first version at or after an instant. */
function firstFrom(versions: readonly Version[], from: Instant): number {
  let [low, high] = [0, versions.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    const version = versions[middle]
    if (version && compareInstants(version.at, from) < 0) low = middle + 1
    else high = middle
  }
  return low
}
