import { Map as ImmutableMap } from 'immutable'
import { z } from 'zod'
import { aggregate } from '#services/event-sourcing/aggregate-type.ts'
import type { Decider } from '#services/event-sourcing/decider.ts'
import { type AppendedEvent, defineEvents, type EventOf } from '#services/event-sourcing/event-definitions.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import {
  emptyCalendar,
  type GrowingCalendar,
  growingCalendar,
  impact,
  type Calendar,
  type Publication,
} from '#services/rules/calendar.ts'
import { moment } from '#services/rules/observation.ts'
import type { Moment } from '#services/rules/instant.ts'
import { MOST_ENTRIES_AHEAD } from './calendar-vocabulary.ts'

/**
 * The calendar of news: data of the firm, one stream. Each event is a publication, and its time is when it was published
 * (behaviour.md, "The calendar").
 */

/** An instant as it is written, and as the engine reads it. */
export const recordedMoment = z.codec(z.string(), z.custom<Moment>(), {
  decode: (text) => moment.parse(text),
  encode: ({ text }) => text,
})

export const calendarEvents = defineEvents({
  /** A new entry, or another version of one. */
  CalendarEntryPublished: {
    entry: z.string(),
    at: recordedMoment,
    currency: z.string().optional(),
    /** Names of symbols. */
    symbols: z.array(z.string()).optional(),
    impact,
    title: z.string(),
  },
  /** It is taken back; what it said stays. */
  CalendarEntryWithdrawn: { entry: z.string() },
})
export type CalendarEvent = EventOf<typeof calendarEvents>

/** An entry as it is sent. */
export type EntryTerms = Omit<Publication, 'publishedAt' | 'withdrawn'>

/** The newest version of an entry. */
export interface CalendarEntry {
  readonly terms: EntryTerms
  /** Ms since 1970. */
  readonly publishedAt: number
  readonly withdrawn: boolean
  /** How many publications it has had. */
  readonly versions: number
}

export interface CalendarState {
  readonly entries: ImmutableMap<string, CalendarEntry>
  /** What the rules judge by. States share it: it only grows. */
  readonly calendar: Calendar
}

const growing = new WeakMap<Calendar, { readonly calendar: GrowingCalendar; readonly revisions: Set<number> }>()

/** The calendar with one more publication, which may be in it already. */
function withPublication(calendar: Calendar, revision: number, publication: Publication): Calendar {
  const known = growing.get(calendar) ?? begun()
  // A revision is folded again where a stream is read once more.
  if (!known.revisions.has(revision)) known.calendar.add(publication)
  known.revisions.add(revision)
  return known.calendar
}

function begun() {
  const own = { calendar: growingCalendar(), revisions: new Set<number>() }
  growing.set(own.calendar, own)
  return own
}

export const calendarDecider: Decider<CalendarState, CalendarEvent> = {
  initial: { entries: ImmutableMap(), calendar: emptyCalendar },
  evolve({ entries, calendar }, event) {
    const before = entries.get(event.data.entry)
    const publication = publicationOf(before?.terms ?? null, event)
    if (!publication) return { entries, calendar }
    const { publishedAt: _publishedAt, withdrawn = false, ...terms } = publication
    return {
      entries: entries.set(terms.id, {
        terms,
        publishedAt: event.at,
        withdrawn,
        versions: (before?.versions ?? 0) + 1,
      }),
      calendar: withPublication(calendar, event.revision, publication),
    }
  },
}

/** @param before What the entry said; null where it is not known: then it cannot be withdrawn. */
function publicationOf(before: EntryTerms | null, event: AppendedEvent<CalendarEvent>): Publication | null {
  const publishedAt = { ms: event.at, ns: 0, text: new Date(event.at).toISOString() }
  if (event.type === 'CalendarEntryWithdrawn') return before && { ...before, publishedAt, withdrawn: true }
  const { entry: id, ...terms } = event.data
  return { id, ...terms, publishedAt }
}

export const calendarStreams = aggregate('calendar', calendarDecider, calendarEvents, null)

export const CALENDAR_ID = 'this'

/**
 * Publishes entries, each with an id of its own. What is the same as before is not published again.
 *
 * @param now Ms since 1970.
 * @throws {Refused} conflict, where more entries would be ahead than the calendar holds.
 */
export function publishEntries({ entries }: CalendarState, sent: readonly EntryTerms[], now: number): CalendarEvent[] {
  const published = sent.filter((terms) => {
    const before = entries.get(terms.id)
    return !before || before.withdrawn || !isSame(before.terms, terms)
  })
  const isAhead = ({ at }: EntryTerms) => at.ms > now
  const added = published.filter((terms) => isAhead(terms) && !entries.has(terms.id)).length
  const ahead = added === 0 ? 0 : entries.count(({ terms, withdrawn }) => !withdrawn && isAhead(terms))
  if (ahead + added > MOST_ENTRIES_AHEAD)
    throw new Refused('conflict', `The calendar holds at most ${MOST_ENTRIES_AHEAD} entries that are still to come`)
  return published.map(({ id: entry, ...rest }) => ({ type: 'CalendarEntryPublished', data: { entry, ...rest } }))
}

/** What became of an entry that was sent, by what was published and the state that this led to. */
export function outcomeOf(
  { entries }: CalendarState,
  published: ReadonlySet<string>,
  id: string,
): 'recorded' | 'changed' | 'duplicate' {
  if (!published.has(id)) return 'duplicate'
  return entries.get(id)?.versions === 1 ? 'recorded' : 'changed'
}

/** Takes an entry back; one that was taken back stays so. @throws {Refused} not-found */
export function withdrawEntry({ entries }: CalendarState, entry: string): CalendarEvent[] {
  const before = entries.get(entry)
  if (!before) throw new Refused('not-found', 'Calendar entry not found')
  return before.withdrawn ? [] : [{ type: 'CalendarEntryWithdrawn', data: { entry } }]
}

function isSame(one: EntryTerms, other: EntryTerms): boolean {
  const plain = ({ at: { ms, ns }, currency, symbols, impact, title }: EntryTerms) =>
    JSON.stringify([ms, ns, currency, symbols, impact, title])
  return plain(one) === plain(other)
}
