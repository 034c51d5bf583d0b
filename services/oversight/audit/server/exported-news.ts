import type { StoredEvent } from '#infra/event-store/event-store.ts'
import { isEventOf, streamName } from '#services/event-sourcing/aggregate-type.ts'
import { isAuthentic } from '#services/event-sourcing/codec/event-authentication.ts'
import { decodeEvent, type RecordedEvent } from '#services/event-sourcing/codec/event-codec.ts'
import { readSealedStream, type SealedStreams } from '#services/event-sourcing/sealed-stream.ts'
import { eventRegistry } from '#services/oversight/event-catalogue.ts'
import { type Calendar, emptyCalendar } from '#services/rules/calendar.ts'
import { currenciesOf, matcherOf } from '#services/rules/symbol-name.ts'
import {
  CALENDAR_ID,
  calendarDecider,
  type CalendarEvent,
  calendarStreams,
  type EntryTerms,
} from '#services/trading/calendar/calendar.ts'
import type { AccountState } from '#services/trading/stream/account-aggregate.ts'
import { judgesNews, type Stage } from '#services/trading/stream/stage.ts'

/** The calendar as the audit reads it: from the log, as far as that was sealed. */

interface ReadPublication {
  readonly stored: StoredEvent
  readonly event: RecordedEvent<CalendarEvent>
}

async function* publicationsFrom(streams: SealedStreams, revision: number): AsyncGenerator<ReadPublication> {
  for await (const page of readSealedStream(streams, streamName(calendarStreams, CALENDAR_ID), revision))
    for (const stored of page) {
      const event = isAuthentic(stored) && decodeEvent(eventRegistry, stored, undefined)
      if (event && isEventOf(calendarStreams, event)) yield { stored, event }
    }
}

/** Reads the calendar; each time only what is newer. */
export function createCalendarReader(streams: SealedStreams): () => Promise<Calendar> {
  let state = calendarDecider.initial
  let next = 0
  return async () => {
    for await (const { event } of publicationsFrom(streams, next)) {
      // Another request may have read further meanwhile.
      if (event.revision < next) continue
      state = calendarDecider.evolve(state, event)
      next = event.revision + 1
    }
    return next === 0 ? emptyCalendar : state.calendar
  }
}

/**
 * The publications up to a position of the log that an export of accounts carries: "every version published by its end of
 * the entries that concern a symbol of its trades, and the first publication of all" (behaviour.md). None where no rule
 * judges by news.
 */
export async function exportedNews(
  streams: SealedStreams,
  accounts: readonly AccountState[],
  end: number,
): Promise<StoredEvent[]> {
  const concerns = accounts.flatMap(({ stage }) => (stage && judgesNews(stage) ? [concernedBy(stage)] : []))
  if (concerns.length === 0) return []
  const wanted = new Set<string>()
  for await (const { event } of publicationsFrom(streams, 0))
    if (event.type === 'CalendarEntryPublished' && concerns.some((isConcerned) => isConcerned(event.data)))
      wanted.add(event.data.entry)
  const found: StoredEvent[] = []
  // It may be long, so it is read again instead of being kept.
  for await (const { stored, event } of publicationsFrom(streams, 0))
    if ((event.revision === 0 || wanted.has(event.data.entry)) && Number(stored.position) <= end) found.push(stored)
  return found
}

type Concern = (entry: Pick<EntryTerms, 'currency' | 'symbols'>) => boolean

/** Whether an entry concerns a symbol of the trades of a stage. */
function concernedBy({ terms, known }: Stage): Concern {
  const symbols = new Set(known.list.flatMap(({ now }) => (now?.kind === 'trade' && now.symbol ? [now.symbol] : [])))
  const currencies = new Set([...symbols].flatMap(currenciesOf(terms.instruments ?? {})))
  return ({ currency, symbols: names }) =>
    names ? [...symbols].some(matcherOf(names)) : currency !== undefined && currencies.has(currency)
}
