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

type Terms = z.output<typeof schema>

/** What is judged of a trade, each from one instant to another: the versions of the first count. */
export function judgedSpans(
  { judges }: Pick<Terms, 'judges'>,
  openedAt: Instant,
  closedAt: Instant,
): readonly (readonly [from: Instant, to: Instant])[] {
  switch (judges) {
    case 'opening':
      return [[openedAt, openedAt]]
    case 'closing':
      return [[closedAt, closedAt]]
    case 'either':
      return [
        [openedAt, openedAt],
        [closedAt, closedAt],
      ]
    case 'holding':
      return [[openedAt, closedAt]]
  }
}

/** The first and the last instant of which an entry may be for its window to meet a time from one instant to another. */
export function nearestEntries({ before, after }: Pick<Terms, 'before' | 'after'>, from: Instant, to: Instant) {
  return { first: shifted(from, -after * MINUTE), last: shifted(to, before * MINUTE) }
}

/** "Each instant is judged by the newest versions published at or before it." */
export function countsAt({ publishedAt, until }: Pick<Version, 'publishedAt' | 'until'>, instant: Instant): boolean {
  return compareInstants(publishedAt, instant) <= 0 && (!until || compareInstants(instant, until) < 0)
}

/**
 * "An entry of the calendar with one of the `impacts` concerns its symbol, and the window from `before` minutes before the
 * entry to `after` minutes after it, both ends included, contains what is judged." (behaviour.md)
 */
export const news = defineBehaviour(schema, (terms, { calendar, currenciesOf }) => {
  const impacts = new Set(terms.impacts)

  /** The version whose window meets the time from one instant to another, by the versions of the first. */
  const nearTo = (versions: readonly Version[], from: Instant, to: Instant): Version | null => {
    const { first, last } = nearestEntries(terms, from, to)
    for (let index = firstFrom(versions, first); index < versions.length; index++) {
      const version = versions[index]
      if (!version || compareInstants(version.at, last) > 0) return null
      if (impacts.has(version.impact) && countsAt(version, from)) return version
    }
    return null
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
      const versions = calendar.versionsFor(symbol, currencies)
      const found = judgedSpans(terms, openedAt ?? closedAt, closedAt).some((span) => nearTo(versions, ...span))
      // "And one whose currencies are unknown, unless an entry with `symbols` hits it."
      return currencies || found ? judgedAlone(trade, found) : 'unknown'
    },
    inWords({ symbol, openedAt, closedAt }) {
      const versions = symbol === null ? [] : calendar.versionsFor(symbol, currenciesOf(symbol))
      for (const [from, to] of judgedSpans(terms, openedAt ?? closedAt, closedAt)) {
        const version = nearTo(versions, from, to)
        if (!version) continue
        const was = from !== to ? 'open' : from === openedAt ? 'opened' : 'closed'
        return `was ${was} from ${terms.before} min before to ${terms.after} min after ${newsText(version)}`
      }
      return 'was near news'
    },
  }
})

/** '“Nonfarm payrolls” of 2026-11-06T13:30:00.000Z' */
function newsText({ title, at }: Version): string {
  return `“${title}” of ${new Date(at.ms).toISOString()}`
}

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
