import { timeZone } from '@/time-zone.ts'

/** A moment as people type it. */

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

const time = String.raw`(?:(?:,|t|\s)\s*(?<hour>\d{1,2}):(?<minute>\d{2})(?::(?<second>\d{2}))?)?`
const zone = String.raw`\s*(?<zone>z|utc(?<sign>[+-])(?<ahead>\d{1,2})(?::(?<and>\d{2}))?|utc)?`
const dates = [
  String.raw`(?<year>\d{4})-(?<number>\d{2})-(?<day>\d{1,2})`,
  String.raw`(?<day>\d{1,2})\.?\s+(?<month>[a-z]{3,9})\.?(?:,?\s+(?<year>\d{4}))?`,
  String.raw`(?<month>[a-z]{3,9})\.?\s+(?<day>\d{1,2})(?:,?\s+(?<year>\d{4}))?`,
].map((date) => new RegExp(`^${date}${time}${zone}$`))

/**
 * The last millisecond of what a text names: '3 Nov 12:00' is the whole minute, as stamps show it, and '3 Nov' the whole
 * day. Without a year it is the last such day; without a zone it is in the chosen one. Undefined for anything else.
 */
export function endOfMoment(text: string, now: Date): Date | undefined {
  const lower = text.trim().toLowerCase()
  for (const pattern of dates) {
    const groups = pattern.exec(lower)?.groups
    if (groups) return endOf(groups, now)
  }
  return undefined
}

type Groups = Readonly<Record<string, string | undefined>>

function endOf(
  { year, number, month = '', day, hour, minute, second, ...offset }: Groups,
  now: Date,
): Date | undefined {
  const monthIndex = number === undefined ? MONTHS.indexOf(month.slice(0, 3)) : Number(number) - 1
  const of = (inYear: number) =>
    moment(
      [inYear, monthIndex, Number(day), Number(hour ?? 23), Number(minute ?? 59), Number(second ?? 59)],
      aheadOf(offset),
    )
  if (year !== undefined) return of(Number(year))
  const thisYear = now.getUTCFullYear()
  // The clock of the zone may already show the next year. 29 February may be years ago.
  const years = Array.from({ length: 9 }, (_, back) => thisYear + 1 - back)
  const startOf = (end: Date) => end.getTime() - (hour === undefined ? 86_400_000 : 60_000)
  return years.map(of).find((end) => end !== undefined && startOf(end) < now.getTime())
}

/** How far a named zone is ahead of UTC, in minutes; undefined for the clock of this machine. */
function aheadOf({ zone: named, sign, ahead, and }: Groups): number | undefined {
  if (named === undefined) return timeZone.get() === 'utc' ? 0 : undefined
  return (sign === '-' ? -1 : 1) * (Number(ahead ?? 0) * 60 + Number(and ?? 0))
}

type Fields = [year: number, month: number, day: number, hour: number, minute: number, second: number]

/** Undefined for a day or a time that no calendar and no clock has. */
function moment(fields: Fields, ahead: number | undefined): Date | undefined {
  const shown = new Date(Date.UTC(...fields, 999))
  const [, month, day, hour, minute, second] = fields
  const isReal =
    shown.getUTCMonth() === month &&
    shown.getUTCDate() === day &&
    shown.getUTCHours() === hour &&
    shown.getUTCMinutes() === minute &&
    shown.getUTCSeconds() === second
  if (!isReal) return undefined
  return ahead === undefined ? new Date(...fields, 999) : new Date(shown.getTime() - ahead * 60_000)
}
