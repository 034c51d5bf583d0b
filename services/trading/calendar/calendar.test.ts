import { describe, expect, it } from 'vitest'
import { entryFields } from '#services/rules/calendar.ts'
import { moment } from '#services/rules/observation.ts'
import { givenEvents } from '#test-support/given-when-then.ts'
import {
  calendarDecider,
  type CalendarEvent,
  type CalendarState,
  type EntryTerms,
  outcomeOf,
  publishEntries,
  withdrawEntry,
} from './calendar.ts'

const given = givenEvents(calendarDecider)
const NOW = Date.UTC(2026, 10, 2)

const rates: EntryTerms = {
  id: 'rates',
  at: moment.parse('2026-11-04T19:00:00Z'),
  currency: 'USD',
  impact: entryFields.impact.parse('high'),
  title: 'Rate decision',
}
const later: EntryTerms = { ...rates, at: moment.parse('2026-11-04T19:30:00Z') }
const published = ({ id: entry, ...terms }: EntryTerms): CalendarEvent => ({
  type: 'CalendarEntryPublished',
  data: { entry, ...terms },
})
const withdrawn: CalendarEvent = { type: 'CalendarEntryWithdrawn', data: { entry: 'rates' } }

const publish =
  (...entries: readonly EntryTerms[]) =>
  (state: CalendarState) =>
    publishEntries(state, entries, NOW)
/** What becomes of an entry that is sent after these events. */
const outcome = (terms: EntryTerms, ...events: readonly CalendarEvent[]) => {
  const decided = publishEntries(given(...events).state, [terms], NOW)
  const published = new Set(decided.map(({ data }) => data.entry))
  return outcomeOf(given(...events, ...decided).state, published, terms.id)
}

describe('entries of the calendar', () => {
  it('are recorded once', () => {
    given()
      .when(publish(rates))
      .then([published(rates)])
    expect(outcome(rates)).toBe('recorded')
    given(published(rates)).when(publish(rates)).thenNothing()
    expect(outcome(rates, published(rates))).toBe('duplicate')
  })

  it('are the same at the same instant, however it is written', () => {
    const written = { ...rates, at: moment.parse('2026-11-04T20:00:00.000+01:00') }
    expect(outcome(written, published(rates))).toBe('duplicate')
  })

  it('get another version where something is different, or they were withdrawn', () => {
    for (const other of [later, { ...rates, title: 'Rates' }, { ...rates, symbols: ['US30'] }]) {
      given(published(rates))
        .when(publish(other))
        .then([published(other)])
      expect(outcome(other, published(rates))).toBe('changed')
    }
    expect(outcome(rates, published(rates), withdrawn)).toBe('changed')
  })

  it('are withdrawn once, and not where there is none', () => {
    given(published(rates))
      .when((state) => withdrawEntry(state, 'rates'))
      .then([withdrawn])
    given(published(rates), withdrawn)
      .when((state) => withdrawEntry(state, 'rates'))
      .thenNothing()
    given()
      .when((state) => withdrawEntry(state, 'rates'))
      .thenRefused('not-found', 'Calendar entry not found')
  })

  it('keep what they said when they are withdrawn', () => {
    const { state } = given(published(rates), withdrawn)
    expect(state.entries.get('rates')).toMatchObject({ terms: rates, withdrawn: true })
  })
})

describe('what the rules judge by', () => {
  const versions = ({ calendar }: CalendarState) =>
    calendar.versionsFor('EURUSD', ['EUR', 'USD']).map(({ at, until }) => [at.ms, until?.ms ?? null])

  it('has every version, and since when another one counts', () => {
    const { state } = given(published(rates), published(later), withdrawn)
    const { calendar } = state
    const [first, second] = versions(state)
    expect(first).toEqual([rates.at.ms, calendar.firstPublishedAt && calendar.firstPublishedAt.ms + 1_000])
    expect(second).toEqual([later.at.ms, calendar.firstPublishedAt && calendar.firstPublishedAt.ms + 2_000])
    expect(calendar.size).toBe(3)
  })

  it('is the same where the stream is folded again', () => {
    const [once, again] = [given(published(rates), published(later)), given(published(rates), published(later))]
    expect(versions(again.state)).toEqual(versions(once.state))
    const event = { ...published(later), at: Date.UTC(2026, 0, 1) + 1_000, revision: 1 }
    const folded = calendarDecider.evolve(once.state, event)
    expect(folded.calendar.size).toBe(2)
  })
})
