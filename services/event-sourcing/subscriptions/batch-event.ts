import type { StoredEvent } from '#infra/event-store/event-store.ts'
import { decodeEvent, type RecordedEvent, UnreadableEvent } from '#services/event-sourcing/codec/event-codec.ts'
import type { PersonKey } from '#services/event-sourcing/crypto-shredding/person-keys.ts'
import type { EventRegistry } from '#services/event-sourcing/event-registry.ts'

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
