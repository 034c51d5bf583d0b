import { z } from 'zod'
import { described, namedObject } from '#services/framework/api/openapi-component.ts'
import { dayOrMoment } from '#services/framework/api/pagination-schemas.ts'
import { answer, conflict, del, get, pathOf, post } from '#services/framework/api/route.ts'
import { namedRequest, request } from '#services/framework/api/text.ts'
import { LARGEST_CALENDAR_BODY, MOST_ENTRIES } from './calendar-vocabulary.ts'

/** The calendar of news (behaviour.md, "The calendar"). */

const entriesExpected = 'expected a list of entries'

/** POST /api/admin/calendar. Each entry is read on its own: one that is wrong is refused, and the others count. */
const EntriesToPublish = namedRequest('EntriesToPublish', {
  entries: described(
    'Entries with `at`, `impact` and `title`, `currency` or `symbols` or both, and perhaps an `id`: without one it follows from the rest. An id that is known gets another version',
    z.array(z.unknown(), entriesExpected).max(MOST_ENTRIES, `expected at most ${MOST_ENTRIES} entries`),
  ),
})

export const entryOutcomes = ['recorded', 'duplicate', 'changed', 'refused'] as const

export const EntryOutcome = namedObject('EntryOutcome', {
  id: described('Null for an entry that has none that can be read', z.string().nullable()),
  outcome: described("'changed': it is another version of an entry that was known", z.enum(entryOutcomes)),
  reason: z.string().nullable(),
})
export type EntryOutcome = z.infer<typeof EntryOutcome>

/** As a line of a calendar file: what does not apply is absent. */
export const PublishedEntry = namedObject('PublishedEntry', {
  id: z.string(),
  at: z.string(),
  currency: z.string().optional(),
  symbols: described(
    'Names of the symbols that it concerns; without them those of its currency',
    z.array(z.string()).optional(),
  ),
  impact: z.enum(['low', 'medium', 'high']),
  title: z.string(),
  publishedAt: z.string(),
  withdrawn: z.literal(true).optional(),
})
export type PublishedEntry = z.infer<typeof PublishedEntry>

/** GET /api/calendar */
const CalendarQuery = request({
  from: described('Only entries on this day, in UTC, or later; or from this moment on', dayOrMoment('first')),
  to: described('Only entries on this day, in UTC, or before; or up to this moment', dayOrMoment('last')),
})

const ENTRY_ID = z.string().min(1).max(200)

export const calendarRoutes = {
  calendar: get('/api/calendar', 'trader-or-any-admin', {
    summary: 'The newest version of each entry of the calendar, the earliest first; what was withdrawn is marked',
    query: CalendarQuery,
    answer: answer('The entries', z.array(PublishedEntry)),
  }),
  publishCalendar: post('/api/admin/calendar', 'publish-programmes', {
    scope: 'calendar',
    summary: 'Publish entries of the calendar, or other versions of them; the same again changes nothing',
    body: EntriesToPublish,
    largestBody: LARGEST_CALENDAR_BODY,
    answer: answer('The outcome of each entry', z.array(EntryOutcome)),
    refuses: conflict,
  }),
  withdrawCalendarEntry: del('/api/admin/calendar/:id', 'publish-programmes', {
    scope: 'calendar',
    summary: 'Withdraw an entry of the calendar; it judges what was before',
    params: pathOf('The id of the entry', ENTRY_ID, 'Calendar entry not found'),
    answer: answer('The entry', namedObject('WithdrawnEntry', { id: z.string() })),
  }),
}
