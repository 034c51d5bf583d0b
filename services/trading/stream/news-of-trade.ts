import { utcTime } from '#services/framework/api/utc-time.ts'
import type { Version } from '#services/rules/calendar.ts'
import { compareInstants } from '#services/rules/instant.ts'
import { countsAt, judgedSpans, nearestEntries } from '#services/rules/news.ts'
import type { Trade } from '#services/rules/observation.ts'
import { currenciesOf } from '#services/rules/symbol-name.ts'
import { stageTermsOf } from './programme-stage.ts'
import type { Stage } from './stage.ts'

/** What a rule about news says of one trade: which news were near, and when they were published. */

/** A publication near a trade, and whether the rule judges the trade by it. */
export interface NewsNear extends Pick<Version, 'id' | 'at' | 'title' | 'publishedAt' | 'until'> {
  readonly judges: boolean
}

/** The news near a trade by a rule of the stage: those that judge it, and those that would if they had been published in time. */
export function newsNear(stage: Stage, rule: number, { symbol, openedAt, at }: Trade): readonly NewsNear[] {
  const terms = stageTermsOf(stage.terms, stage.index).rules[rule]
  if (terms?.kind !== 'news' || symbol === undefined) return []
  const currencies = currenciesOf(stage.terms.instruments ?? {})(symbol)
  const impacts: readonly string[] = terms.impacts
  const spans = judgedSpans(terms, openedAt ?? at, at)
  return stage.calendar.versionsFor(symbol, currencies).flatMap((version) => {
    if (!impacts.includes(version.impact)) return []
    const near = spans.filter(([from, to]) => {
      const { first, last } = nearestEntries(terms, from, to)
      return compareInstants(first, version.at) <= 0 && compareInstants(version.at, last) <= 0
    })
    if (near.length === 0) return []
    const { id, at: of, title, publishedAt, until } = version
    return [{ id, at: of, title, publishedAt, until, judges: near.some(([from]) => countsAt(version, from)) }]
  })
}

/** How many are named. */
const MOST_NAMED = 3

/** "“Rate decision” of 2 Nov 2026, 12:30 UTC was published 1 Nov 2026, 09:00 UTC." One sentence for each; none without news. */
export function newsInWords(news: readonly NewsNear[]): readonly string[] {
  return news.slice(0, MOST_NAMED).map(({ title, at, publishedAt, until, judges }) => {
    const what = `“${title}” of ${utcTime(at.ms)}`
    if (judges) return `${what} was published ${utcTime(publishedAt.ms)}, in time.`
    if (until && compareInstants(publishedAt, at) <= 0 && compareInstants(until, at) <= 0)
      return `${what}, published ${utcTime(publishedAt.ms)}, was changed or withdrawn ${utcTime(until.ms)}, before.`
    return `${what} was published too late, ${utcTime(publishedAt.ms)}: it judges nobody before that.`
  })
}
