import { z } from 'zod'
import { behaviourTerms, countsBesideExclusion, defineBehaviour, judgedAlone, remembersNothing } from './behaviour.ts'
import { compareInstants, type Instant } from './instant.ts'
import { listOf, matcherOf, symbolNames } from './symbol-name.ts'
import { dateOf, timeOfDay, weekdayOf, zoneName } from './day-terms.ts'

const weekdayText = 'expected a weekday from 1 (Monday) to 7 (Sunday)'

const schema = countsBesideExclusion(
  z.strictObject({
    kind: z.literal('flat-at'),
    at: timeOfDay,
    weekdays: listOf(z.int(weekdayText).min(1, weekdayText).max(7, weekdayText), 7),
    symbols: symbolNames.nullable(),
    zone: zoneName.exactOptional(),
    ...behaviourTerms,
  }),
)

/** Every weekday comes within as many days, also where the clock of a zone skips a date. */
const DAYS = 9

/**
 * "It was opened before and closed after the local time `at` of a date whose weekday is in `weekdays`. Skipped and
 * repeated times as for the start of a day." (behaviour.md)
 */
export const flatAt = defineBehaviour(schema, (terms, { zone, daysOf }) => {
  // Days that start at this time have the dates that are asked about.
  const times = daysOf({ zone: terms.zone ?? zone, startsAt: terms.at })
  const matches = terms.symbols && matcherOf(terms.symbols)
  const weekdays = new Set(terms.weekdays)

  /** The first date at whose time a trade was open; null without one. */
  const dateOpen = (openedAt: Instant, closedAt: Instant): number | null => {
    // The first one that is later than the opening.
    const first = times.dayOf(openedAt.ms) + 1
    for (let date = first; date < first + DAYS; date++) {
      const at = { ms: times.startOf(date), ns: 0 }
      if (compareInstants(at, closedAt) >= 0) break
      if (weekdays.has(weekdayOf(date)) && compareInstants(openedAt, at) < 0) return date
    }
    return null
  }

  return {
    start: remembersNothing,
    judge(_, trade) {
      const { openedAt, closedAt, symbol } = trade
      if (!openedAt || (matches && symbol === null)) return 'unknown'
      if (matches && symbol !== null && !matches(symbol)) return judgedAlone(trade, false)
      return judgedAlone(trade, dateOpen(openedAt, closedAt) !== null)
    },
    inWords({ openedAt, closedAt }) {
      const date = openedAt && dateOpen(openedAt, closedAt)
      const day = typeof date === 'number' ? ` on ${dateOf(date)}` : ''
      return `was open at ${terms.at}${day} (${terms.zone ?? zone})`
    },
  }
})
