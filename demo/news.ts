import { moment } from '#services/rules/observation.ts'
import type { EntryTerms } from '#services/trading/calendar/calendar.ts'
import { DAY, HOUR, midnight, MINUTE } from './agenda.ts'

/** The news of the made-up firm's calendar: what public calendars have in most weeks, at their usual times in UTC. */
const weekly = [
  { day: 1, time: 14 * HOUR, currency: 'USD', impact: 'medium', title: 'ISM manufacturing index' },
  { day: 2, time: 10 * HOUR, currency: 'EUR', impact: 'high', title: 'Consumer prices, flash estimate' },
  { day: 3, time: 13 * HOUR + 30 * MINUTE, currency: 'USD', impact: 'high', title: 'Consumer prices' },
  { day: 3, time: 19 * HOUR, currency: 'USD', impact: 'high', title: 'Rate decision' },
  { day: 4, time: 12 * HOUR, currency: 'GBP', impact: 'high', title: 'Rate decision' },
  { day: 5, time: 13 * HOUR + 30 * MINUTE, currency: 'USD', impact: 'high', title: 'Nonfarm payrolls' },
] as const

/** The Monday after a moment, ms since 1970. */
export function nextMonday(moment: number): number {
  const begins = midnight(moment)
  return begins + ((8 - new Date(begins).getUTCDay()) % 7 || 7) * DAY
}

/** @param begins A midnight in UTC, ms since 1970. */
export function newsOfWeek(begins: number): EntryTerms[] {
  const date = new Date(begins).toISOString().slice(0, 10)
  return weekly.map(({ day, time, title, ...rest }, n) => ({
    ...{ id: `week-${date}-${n + 1}`, title, ...rest },
    at: moment.parse(new Date(begins + (day - 1) * DAY + time).toISOString()),
  }))
}
