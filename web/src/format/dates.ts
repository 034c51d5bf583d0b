import { isValid } from 'date-fns/isValid'
import { lightFormat } from 'date-fns/lightFormat'
import { parseISO } from 'date-fns/parseISO'
import { timeZone, type TimeZone } from '../time-zone.ts'

export const dateFormats = {
  /** 2026-03-14: histories of payouts (specification §2). */
  day: 'yyyy-MM-dd',
  /** Mar 14, 2026: certificates, people and days of trading (specification §2). */
  words: 'MMM dd, yyyy',
  /** 14 Mar: axes, and stamps at rest. */
  short: 'd MMM',
  /** 14 Mar 14:07 UTC: stamps. */
  stamp: 'd MMM HH:mm',
  /** 14 Mar 2026, 14:07:32 UTC: decisions and tooltips. */
  exact: 'd MMM yyyy, HH:mm:ss',
} as const

export type DateFormat = keyof typeof dateFormats

/** The product is in English only; date-fns's locale would triple the size of this module. */
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/**
 * Formats a moment or a day in the chosen zone; N/A for an invalid date (specification §2). A time names its zone:
 * 'UTC', or 'UTC+5:30' in local time. A day without a time is that day in every zone.
 */
export function formatDate(date: string | Date | null | undefined, how: DateFormat, zone: TimeZone = timeZone()): string {
  const moment = typeof date === 'string' ? parseISO(date) : date
  if (!moment || !isValid(moment)) return 'N/A'
  const isDay = typeof date === 'string' && !date.includes('T')
  // date-fns formats local time, so a moment is moved to where the local clock shows UTC.
  const shown = zone === 'utc' && !isDay ? inUtc(moment) : moment
  const text = lightFormat(shown, dateFormats[how].replace('MMM', `'${months[shown.getMonth()]}'`))
  return dateFormats[how].includes('HH') ? `${text} ${zone === 'utc' ? 'UTC' : offsetOf(moment)}` : text
}

function inUtc(moment: Date): Date {
  return new Date(moment.getUTCFullYear(), moment.getUTCMonth(), moment.getUTCDate(), moment.getUTCHours(), moment.getUTCMinutes(), moment.getUTCSeconds())
}

/** 'UTC+2', 'UTC-3:30', or 'UTC' */
function offsetOf(moment: Date): string {
  const ahead = Math.round(-moment.getTimezoneOffset())
  if (ahead === 0) return 'UTC'
  const [hours, minutes] = [Math.floor(Math.abs(ahead) / 60), Math.abs(ahead) % 60]
  return `UTC${ahead < 0 ? '-' : '+'}${hours}${minutes === 0 ? '' : `:${String(minutes).padStart(2, '0')}`}`
}
