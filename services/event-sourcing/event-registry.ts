import type { DomainEvent, EventDefinition } from './event-definitions.ts'

/** The application's part of the generic code: its events, and the persons that its streams are about. */
export interface EventRegistry<Event extends DomainEvent = DomainEvent> {
  readonly definitions: { readonly [Type in Event['type']]: EventDefinition }
  /** The person whose key encrypts the personal fields of a stream's events; undefined for a stream about no person. */
  personIdOf(stream: string): string | undefined
  /** Whether a stream is the one in which its person begins, so that the person's key is created there. */
  beginsPerson(stream: string): boolean
}

/** @throws {Error} for a type that the application does not know. */
export function definitionOf({ definitions }: EventRegistry, type: string): EventDefinition {
  const definition = Object.hasOwn(definitions, type) ? definitions[type] : undefined
  if (!definition) throw new Error(`unknown event type ${type}`)
  return definition
}

/** Whether decoding an event needs the key of its person; false for unknown types. */
export function hasPersonalFields({ definitions }: EventRegistry, type: string): boolean {
  return Object.hasOwn(definitions, type) && (definitions[type]?.personal.size ?? 0) > 0
}
