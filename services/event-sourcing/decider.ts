import type { DomainEvent, AppendedEvent } from './event-definitions.ts'

/** How the events of a stream fold into the state that decisions are made on. */
export interface Decider<State, Event extends DomainEvent> {
  readonly initial: State
  evolve(state: State, event: AppendedEvent<Event>): State
}

/** Folds events onto a state. */
export function fold<State, Event extends DomainEvent>(
  decider: Decider<State, Event>,
  events: Iterable<AppendedEvent<Event>>,
  from: State = decider.initial,
): State {
  let state = from
  for (const event of events) state = decider.evolve(state, event)
  return state
}
