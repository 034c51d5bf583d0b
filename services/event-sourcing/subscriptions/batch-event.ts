import type { StoredEvent } from '#infra/event-store/event-store.ts'
import { decodeEvent, type RecordedEvent, UnreadableEvent } from '#services/event-sourcing/codec/event-codec.ts'
import type { PersonKey, PersonKeys } from '#services/event-sourcing/crypto-shredding/person-keys.ts'
import { type EventRegistry, hasPersonalFields } from '#services/event-sourcing/event-registry.ts'

/**
 * An event of a batch. Consumers share it; the first that needs it decodes it. A class, because there are very many at
 * a time.
 */
export class BatchEvent {
  #event: RecordedEvent | undefined
  #failure: UnreadableEvent | undefined

  constructor(
    private readonly registry: EventRegistry,
    readonly stored: StoredEvent,
    private readonly key: PersonKey | undefined,
  ) {}

  /** False for an event of a newer program. */
  get isKnownType(): boolean {
    return Object.hasOwn(this.registry.definitions, this.stored.type)
  }

  /** @throws {UnreadableEvent} every time. */
  decode(): RecordedEvent {
    if (this.#failure) throw this.#failure
    try {
      return (this.#event ??= decodeEvent(this.registry, this.stored, this.key))
    } catch (error) {
      this.#failure = error instanceof UnreadableEvent ? error : new UnreadableEvent(this.stored, error)
      throw this.#failure
    }
  }
}

/** Events as consumers get them, with the keys of the persons whose fields are encrypted in them. */
export async function batchEventsOf(
  registry: EventRegistry,
  personKeys: Pick<PersonKeys, 'get'>,
  events: readonly StoredEvent[],
): Promise<readonly BatchEvent[]> {
  const encrypted = events.filter(({ type }) => hasPersonalFields(registry, type))
  const keys = await personKeys.get(new Set(encrypted.flatMap(({ stream }) => registry.personIdOf(stream) ?? [])))
  return events.map((event) => new BatchEvent(registry, event, keys.get(registry.personIdOf(event.stream) ?? '')))
}
