import type { z } from 'zod'
import type { Decider } from './decider.ts'
import type { RecordedEvent } from './codec/event-codec.ts'
import type { DomainEvent, EventDefinitions } from './event-definitions.ts'
import type { Calendar } from '#services/rules/calendar.ts'

/** A type of aggregate: the category of its streams, the events they hold, and how these fold. */
export interface AggregateType<State, Event extends DomainEvent> {
  readonly category: string
  readonly decider: Decider<State, Event>
  readonly definitions: EventDefinitions
  /** The person that a stream is about; null where streams are about no person. */
  readonly person: StreamPerson | null
  /** How many more events a state weighs in the cache than its stream has: it may hold what one event had many of. */
  readonly weight?: (state: State) => number
  /** For streams that grow for ever: their folded state, which is kept, so that a start does not fold them again. */
  readonly snapshot?: z.ZodType<State>
  /** For states that follow from the calendar too. */
  readonly calendar?: CalendarOf<State>
  /** For streams that are usually empty before a decision: it is made on the empty state, and the append proves it. */
  readonly usuallyNew?: true
}

/**
 * The person whose key encrypts the personal fields of a stream's events: the kind of person, and the person's id in the
 * stream's.
 */
export interface StreamPerson {
  readonly kind: string
  /** Undefined for an id that names no person: other programs may write to the log. */
  readonly idOf: (id: string) => string | undefined
  /** Whether persons begin in these streams: only there a key is created, with the first personal fields. */
  readonly begins?: true
}

/** Where the calendar is, and which states follow from it. It only grows, and what it says later changes nothing before. */
export interface CalendarOf<State> {
  load(
    stateOf: <Other, Event extends DomainEvent>(type: AggregateType<Other, Event>, id: string) => Promise<Other>,
  ): Promise<Calendar>
  /** Whether a state that these events led to follows from it. */
  isNeededBy(state: State, events: readonly DomainEvent[]): boolean
}

/** Declares a type of aggregate, with streams named '<category>-<id>'. */
export function aggregate<State, Event extends DomainEvent>(
  category: string,
  decider: Decider<State, Event>,
  definitions: EventDefinitions,
  person: StreamPerson | null,
): AggregateType<State, Event> {
  return { category, decider, definitions, person }
}

/** For streams that are named after the person. */
export function sameId(id: string): string {
  return id
}

/** The name of an aggregate's stream: '<category>-<id>'. */
export function streamName({ category }: { readonly category: string }, id: string): string {
  return `${category}-${id}`
}

/** The category and the id in the name of a stream. */
export function parseStreamName(stream: string): { category: string; id: string } {
  const dash = stream.indexOf('-')
  return dash < 0 ? { category: stream, id: '' } : { category: stream.slice(0, dash), id: stream.slice(dash + 1) }
}

/** Whether an event belongs in the streams of an aggregate type: its definitions name every type of its event union. */
export function isEventOf<State, Event extends DomainEvent>(
  type: AggregateType<State, Event>,
  event: RecordedEvent,
): event is RecordedEvent<Event> {
  return Object.hasOwn(type.definitions, event.type)
}
