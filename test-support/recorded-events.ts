import { createHash, randomUUID } from 'node:crypto'
import { type StoredEvent, toPosition } from '#infra/event-store/event-store.ts'
import type { DomainEvent } from '#services/event-sourcing/event-definitions.ts'
import { decodeEvent, encodeEvent, type RecordedEvent } from '#services/event-sourcing/codec/event-codec.ts'
import { eventRegistry, type AnyEvent, personIdOf } from '#services/oversight/event-catalogue.ts'

/** For tests: events as if they had been read from the log. */

/** The time of the first event; the others follow at intervals of a minute. */
export const firstEventAt = Date.UTC(2026, 0, 1)

/** A key of 32 bytes that depends only on the person. */
export function testKey(personId: string): Uint8Array {
  return new Uint8Array(createHash('sha256').update(`key of ${personId}`).digest())
}

/** The events in the order given, at positions 10, 20, … and one minute after the other. */
export function recordedEvents(
  ...events: readonly (readonly [stream: string, event: AnyEvent])[]
): RecordedEvent<AnyEvent>[] {
  const revisions = new Map<string, number>()
  return events.map(([stream, event], index) => {
    const revision = revisions.get(stream) ?? 0
    revisions.set(stream, revision + 1)
    const stored = storedEvent(stream, revision, (index + 1) * 10, firstEventAt + index * 60_000, event)
    return decodeEvent(eventRegistry, stored, testKey(personIdOf(stream) ?? ''))
  })
}

/** An event as the log holds it. */
export function storedEvent(
  stream: string,
  revision: number,
  position: number,
  at: number,
  event: DomainEvent,
): StoredEvent {
  const eventId = randomUUID()
  const actor = { kind: 'system', label: 'test' } as const
  const metadata = { at, actor, requestId: 'r', causationId: 'r', correlationId: 'r', previous: null }
  const encoded = encodeEvent(eventRegistry, eventId, event, metadata, testKey(personIdOf(stream) ?? ''))
  return { ...encoded, stream, revision, position: toPosition(String(position)) }
}
