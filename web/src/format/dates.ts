import { months } from '#services/framework/api/utc-time.ts'
import { timeZone, type TimeZone } from '@/time-zone.ts'
import { counted } from './counts.ts'

/** A moment by the clock of its zone: '2026', 'Mar', '04' and '14:07:32'. */
interface Parts {
  readonly year: string
  /** The product is in English only. */
  readonly month: string
  readonly day: string
  readonly time: string
}

const dateFormats = {
  /** Mar 14, 2026: certificates, people and days of trading (specification §2). */
  words: ({ year, month, day }: Parts) => `${month} ${day}, ${year}`,
  /** 14 Mar 2026: days beside stamps. */
  date: ({ year, month, day }: Parts) => `${Number(day)} ${month} ${year}`,
  /** 14 Mar: axes, and stamps at rest. */
  short: ({ month, day }: Parts) => `${Number(day)} ${month}`,
  /** 14 Mar 14:07 UTC: stamps. */
  stamp: ({ month, day, time }: Parts) => `${Number(day)} ${month} ${time.slice(0, 5)}`,
  /** 14 Mar 2026, 14:07:32 UTC: decisions and tooltips. */
  exact: ({ year, month, day, time }: Parts) => `${Number(day)} ${month} ${year}, ${time}`,
}

/** 'day' is 2026-03-14: histories of payouts (specification §2). */
export type DateFormat = keyof typeof dateFormats | 'day'

/**
 * Formats a moment or a day in the chosen zone; N/A for an invalid date (specification §2). A time names its zone:
 * 'UTC', or 'UTC+5:30' in local time. A day without a time is that day in every zone.
 */
export function formatDate(
  date: string | Date | null | undefined,
  how: DateFormat,
  zone: TimeZone = timeZone.get(),
): string {
  const moment = typeof date === 'string' ? parse(date) : date
  if (!moment || Number.isNaN(moment.getTime())) return 'N/A'
  const isDay = typeof date === 'string' && !date.includes('T')
  const ahead = zone === 'utc' ? 0 : Math.round(-moment.getTimezoneOffset())
  // The moment at which a clock in UTC shows what a clock in the zone shows now.
  const shown = new Date(moment.getTime() + (isDay ? 0 : ahead * 60_000)).toISOString()
  if (how === 'day') return shown.slice(0, 10)
  const [year = '', month, day = ''] = shown.slice(0, 10).split('-')
  const text = dateFormats[how]({ year, month: months[Number(month) - 1] ?? '', day, time: shown.slice(11, 19) })
  return how === 'stamp' || how === 'exact' ? `${text} ${offsetText(ahead)}` : text
}

/** Browsers take 30 February for 2 March, and other texts than these for dates. A day begins in UTC. */
function parse(text: string): Date | undefined {
  const [day = ''] = /^\d{4}-\d{2}-\d{2}(?=T|$)/.exec(text) ?? []
  const midnight = new Date(day)
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day) ? new Date(text) : undefined
}

/** 'UTC+2', 'UTC-3:30', or 'UTC'. @param ahead In minutes. */
function offsetText(ahead: number): string {
  if (ahead === 0) return 'UTC'
  const [hours, minutes] = [Math.floor(Math.abs(ahead) / 60), Math.abs(ahead) % 60]
  return `UTC${ahead < 0 ? '-' : '+'}${hours}${minutes === 0 ? '' : `:${String(minutes).padStart(2, '0')}`}`
}

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** How long ago, in words: 'less than an hour', '5 hours', '19 days'. `now` is in ms since 1970. */
export function timeSince(at: string, now: number): string {
  const past = Math.max(0, now - Date.parse(at))
  if (past < HOUR) return 'less than an hour'
  const [count, unit] = past < 2 * DAY ? [Math.floor(past / HOUR), 'hour'] : [Math.floor(past / DAY), 'day']
  return counted(count, unit)
}
