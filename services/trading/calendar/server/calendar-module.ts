import { createHash } from 'node:crypto'
import { z } from 'zod'
import { faultsOf } from '#services/framework/api/faults.ts'
import { codePointName, unseenCharacter } from '#services/framework/api/unseen-characters.ts'
import { HttpError } from '#services/framework/http/http-errors.ts'
import type { Commands, Module, Queries } from '#services/framework/module.ts'
import { entryFields } from '#services/rules/calendar.ts'
import type { TradingParts } from '#services/trading/parts.ts'
import {
  CALENDAR_ID,
  type CalendarEntry,
  calendarStreams,
  type EntryTerms,
  outcomeOf,
  publishEntries,
  withdrawEntry,
} from '../calendar.ts'
import type { calendarRoutes, EntryOutcome, PublishedEntry } from '../calendar-api.ts'
import { calendarSubject } from '../calendar-subject.ts'
import { MOST_SHOWN_ENTRIES } from '../calendar-vocabulary.ts'

export const calendarModule: Module<typeof calendarSubject, TradingParts> = {
  subject: calendarSubject,
  commands: calendarCommands,
  queries: calendarQueries,
  // Nothing in it is about a user.
  erase: null,
}

/** Publishes news, and withdraws them. */
function calendarCommands({ repositories, now }: TradingParts['commands']): Commands<typeof calendarRoutes> {
  const calendars = repositories.of(calendarStreams)
  return {
    publishCalendar: async ({ body: { entries }, context }) => {
      const read = entries.map(readEntry)
      const repeated = repeatedIn(read)
      const sent = read.flatMap(({ terms }) => (terms && !repeated.has(terms.id) ? [terms] : []))
      const { state, events, position } = await calendars.decide(CALENDAR_ID, context, (before) =>
        publishEntries(before, sent, now()),
      )
      const published = new Set(events.map(({ data }) => data.entry))
      const body = read.map(({ id, terms, reason }): EntryOutcome => {
        if (!terms) return { id, outcome: 'refused', reason }
        if (repeated.has(terms.id)) return { id, outcome: 'refused', reason: 'id: expected once in a call' }
        return { id, outcome: outcomeOf(state, published, terms.id), reason: null }
      })
      return { body, position }
    },

    withdrawCalendarEntry: async ({ params: { id }, context }) => {
      const { position } = await calendars.decide(CALENDAR_ID, context, (state) => withdrawEntry(state, id))
      return { body: { id }, position }
    },
  }
}

interface ReadEntry {
  readonly id: string | null
  readonly terms: EntryTerms | null
  readonly reason: string | null
}

const sentEntry = z
  .strictObject({ ...entryFields, id: entryFields.id.optional() }, 'expected an object')
  .refine(({ currency, symbols }) => currency !== undefined || symbols !== undefined, {
    path: ['currency'],
    error: 'expected "currency", "symbols" or both',
  })
  .superRefine((sent, context) => {
    for (const field of ['id', 'title'] as const) {
      const unseen = unseenCharacter(sent[field] ?? '')
      if (unseen !== undefined)
        context.addIssue({
          code: 'custom',
          path: [field],
          message: `expected no invisible character (${codePointName(unseen)})`,
        })
    }
  })

function readEntry(sent: unknown): ReadEntry {
  const { data, error } = sentEntry.safeParse(sent)
  if (data) {
    const terms = { ...data, id: data.id ?? idFrom(data) }
    return { id: terms.id, terms, reason: null }
  }
  const [[place, message] = ['', 'expected another entry']] = faultsOf(error)
  const { data: named } = z.looseObject({ id: entryFields.id }).safeParse(sent)
  return { id: named?.id ?? null, terms: null, reason: place === '' ? message : `${place}: ${message}` }
}

/** Of the news itself, so that it has the same id when it is sent again. */
function idFrom({ at, currency, symbols, title }: Omit<EntryTerms, 'id'>): string {
  const content = JSON.stringify([at.ms, at.ns, currency, symbols, title])
  return createHash('sha256').update(content).digest('hex').slice(0, 24)
}

/** The ids that a call names more than once: it does not say which of them counts. */
function repeatedIn(read: readonly ReadEntry[]): ReadonlySet<string> {
  const seen = new Set<string>()
  const repeated = new Set<string>()
  for (const { id } of read) {
    if (id === null) continue
    if (seen.has(id)) repeated.add(id)
    seen.add(id)
  }
  return repeated
}

/** Everybody reads the calendar, in the log: it is the same for all. */
function calendarQueries({ repositories }: TradingParts['queries']): Queries<typeof calendarRoutes> {
  return {
    calendar: {
      needs: [],
      handle: async ({ query: { from = -Infinity, to = Infinity } }) => {
        const { state } = await repositories.of(calendarStreams).load(CALENDAR_ID)
        const found = [...state.entries.values()].filter(({ terms: { at } }) => at.ms >= from && at.ms <= to)
        if (found.length > MOST_SHOWN_ENTRIES) {
          const message = `Please ask for a shorter time: it has more than ${MOST_SHOWN_ENTRIES} entries`
          throw new HttpError(400, { message })
        }
        const ordered = found.toSorted((one, other) => one.terms.at.ms - other.terms.at.ms)
        return { body: ordered.map(publishedEntry) }
      },
    },
  }
}

function publishedEntry({ terms, publishedAt, withdrawn }: CalendarEntry): PublishedEntry {
  const { id, at, currency, symbols, impact, title } = terms
  return {
    ...{ id, at: at.text, ...(currency !== undefined && { currency }), ...(symbols && { symbols }), impact, title },
    publishedAt: new Date(publishedAt).toISOString(),
    ...(withdrawn && { withdrawn: true as const }),
  }
}
