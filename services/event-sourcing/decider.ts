import type { DomainEvent, AppendedEvent } from './event-definitions.ts'

/** How the events of one kind of stream fold into the state that its decisions need. */
export interface Decider<State, Event extends DomainEvent> {
  readonly initial: State
  evolve(state: State, fact: AppendedEvent<Event>): State
}

/** Folds facts onto a state. */
export function fold<State, Event extends DomainEvent>(
  decider: Decider<State, Event>,
  facts: Iterable<AppendedEvent<Event>>,
  from: State = decider.initial,
): State {
  let state = from
  for (const fact of facts) state = decider.evolve(state, fact)
  return state
}
