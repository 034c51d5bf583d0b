import { z } from 'zod'
import { isZone } from './zone.ts'

/** How programmes write times of days. Apart from the days themselves, whose library pages do without. */

const zoneText = 'expected the IANA name of a time zone, like "Europe/Prague"'
export const zoneName = z.string(zoneText).refine(isZone, zoneText)

const timeText = 'expected a time of day like "17:00"'
export const timeOfDay = z.string(timeText).regex(/^([01]\d|2[0-3]):[0-5]\d$/, timeText)

/** From 1, Monday, to 7. 1970-01-01 was a Thursday. */
export function weekdayOf(day: number): number {
  return ((((day + 3) % 7) + 7) % 7) + 1
}

const DAY = 86_400_000

/** The date that names a day. Days have numbers, counted from 1970-01-01. */
export function dateOf(day: number): string {
  return new Date(day * DAY).toISOString().slice(0, 'YYYY-MM-DD'.length)
}
