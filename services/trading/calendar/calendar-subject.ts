import { change, type EventDescriptions } from '#services/framework/event-description.ts'
import { subject, type Subject } from '#services/framework/subject.ts'
import { calendarRoutes } from './calendar-api.ts'
import { type CalendarEvent, calendarEvents, calendarStreams } from './calendar.ts'

const category = 'calendar'

const calendarDescriptions = {
  CalendarEntryPublished: {
    title: 'News published in the calendar',
    category,
    forEverybody: true,
    changes: ({ data: { entry, at, currency, symbols, impact, title } }) => [
      change('calendar.entry', null, entry),
      change('calendar.title', null, title),
      change('calendar.at', null, at.text),
      change('calendar.impact', null, impact),
      change('calendar.concerns', null, symbols?.join(', ') ?? currency ?? null),
    ],
  },
  CalendarEntryWithdrawn: {
    title: 'News withdrawn from the calendar',
    category,
    forEverybody: true,
    changes: ({ data: { entry } }) => [change('calendar.entry', entry, null)],
  },
} as const satisfies EventDescriptions<CalendarEvent>

/** The fields that these events name. */
const calendarShown = {
  calendar: {
    fields: {
      entry: { label: 'Entry of the calendar', kind: 'text', ofAction: true },
      title: { label: 'News', kind: 'text', ofAction: true },
      at: { label: 'Time of the news', kind: 'text', ofAction: true },
      impact: { label: 'Impact', kind: 'text', ofAction: true },
      concerns: { label: 'Concerns', kind: 'text', ofAction: true },
    },
  },
} as const satisfies Subject['shown']

/** The calendar of news: the half that runs anywhere. */
export const calendarSubject = subject({
  title: 'Calendar',
  about: 'News that rules about news judge by, as they were published',
  events: calendarEvents,
  aggregates: [calendarStreams],
  descriptions: calendarDescriptions,
  shown: calendarShown,
  categories: { calendar: { label: 'Calendar', group: 'trading', staffOnly: true, isDecision: true } },
  routes: calendarRoutes,
})
