import { Temporal } from 'temporal-polyfill'

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

/** Days have numbers, counted from 1970-01-01. */
export function dayNumber(date: string): number {
  return Date.parse(`${date}T00:00:00Z`) / DAY
}

export function dateOf(day: number): string {
  return new Date(day * DAY).toISOString().slice(0, 10)
}

export function tradingDays({ zone, startsAt }: { readonly zone: string; readonly startsAt: string }): TradingDays {
  const startOf = (day: number): number => {
    const local = Temporal.PlainDateTime.from(`${dateOf(day)}T${startsAt}`)
    const earlier = local.toZonedDateTime(zone, { disambiguation: 'earlier' })
    if (earlier.toPlainDateTime().equals(local)) return earlier.epochMilliseconds
    // The clock skips this moment: the day starts when the clock has jumped.
    const later = local.toZonedDateTime(zone, { disambiguation: 'later' })
    return (earlier.getTimeZoneTransition('next') ?? later).epochMilliseconds
  }
  return {
    startOf,
    dayOf(instant) {
      const local = Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(zone)
      // The next day can have begun where the clock goes back over its start.
      let day = dayNumber(local.toPlainDate().toString()) + 1
      while (startOf(day) > instant) day -= 1
      return day
    },
  }
}

/** Whether this is the name of a time zone, which an offset like +01:00 is not. */
export function isZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name)
    return true
  } catch {
    return false
  }
}
