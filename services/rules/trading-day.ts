import { Temporal } from 'temporal-polyfill'
import { dateOf } from './day-terms.ts'

/**
 * Trading days. "A trading day runs from `startsAt` to the next `startsAt` in the zone (IANA name) and is named after
 * the local date on which it starts. Where the clock skips that moment, the day starts at the first instant after it;
 * where it comes twice, at the first." (rules.md)
 */
export interface TradingDays {
  /** The day in which the instant lies, as its number. Instants are milliseconds since 1970. */
  dayOf(instant: number): number
  /** The instant at which the day starts. */
  startOf(day: number): number
}

const DAY = 86_400_000

/** Computing the start of a day takes long, and most instants lie in a few days. */
const REMEMBERED = 1_000

export function tradingDays({ zone, startsAt }: { readonly zone: string; readonly startsAt: string }): TradingDays {
  if (zone === 'UTC') return daysInUtc(startsAt)
  const starts = new Map<number, number>()
  const startOf = (day: number): number => {
    const known = starts.get(day)
    if (known !== undefined) return known
    if (starts.size >= REMEMBERED) starts.clear()
    const start = startIn(zone, `${dateOf(day)}T${startsAt}`)
    starts.set(day, start)
    return start
  }
  return {
    startOf,
    dayOf(instant) {
      // Local dates are at most one day ahead of UTC, and the clock can go back over the start of the next day.
      let day = Math.floor(instant / DAY) + 2
      while (startOf(day) > instant) day -= 1
      return day
    },
  }
}

/** The clock of UTC never jumps. */
function daysInUtc(startsAt: string): TradingDays {
  const offset = Date.parse(`1970-01-01T${startsAt}Z`)
  return {
    startOf: (day) => day * DAY + offset,
    dayOf: (instant) => Math.floor((instant - offset) / DAY),
  }
}

function startIn(zone: string, text: string): number {
  const local = Temporal.PlainDateTime.from(text)
  const earlier = local.toZonedDateTime(zone, { disambiguation: 'earlier' })
  if (earlier.toPlainDateTime().equals(local)) return earlier.epochMilliseconds
  // The clock skips this moment: the day starts when the clock has jumped.
  const later = local.toZonedDateTime(zone, { disambiguation: 'later' })
  return (earlier.getTimeZoneTransition('next') ?? later).epochMilliseconds
}
