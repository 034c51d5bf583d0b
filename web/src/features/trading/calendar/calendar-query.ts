import { calendarRoutes, type PublishedEntry } from '#services/trading/calendar/calendar-api.ts'
import { routeQuery } from '@/api/route-query.ts'
import type { Session } from '@/api/session.ts'

/** The calendar of news. @param from ISO 8601, or a day. @param to absent for all that is to come */
export const calendarQuery = (session: Session, from: string, to?: string) =>
  routeQuery(calendarRoutes.calendar, {
    ...{ session, subjects: ['calendar'] },
    query: { from, ...(to !== undefined && { to }) },
  })

/** "USD", or the names of symbols. */
export function concerned({ currency, symbols }: Pick<PublishedEntry, 'currency' | 'symbols'>): string {
  return symbols ? symbols.join(', ') : (currency ?? '')
}
