import { z } from 'zod'
import type { EventToAppend, Position, StoredEvent } from '../../infra/event-store/event-store.ts'
import type { DomainEvent, EventDefinition, Fact } from '../domain/event.ts'
import { open, seal } from './cipher.ts'
import { type Metadata, metadata as metadataSchema } from './metadata.ts'
import type { PersonKey } from './person-keys.ts'
import { type AnyEvent, definitions, personOf } from './streams.ts'
import { upcast } from './upcasters.ts'

/** A fact as read from the log. Personal fields are decrypted when they are first looked at. */
export type Recorded<Event extends DomainEvent = AnyEvent> = Fact<Event> & {
  readonly id: string
  readonly stream: string
  readonly revision: number
  readonly position: Position
  /** Whom the stream is about, when it is about a user. */
  readonly userId: string | undefined
  readonly metadata: Metadata
  /** The personal fields as they are stored, for views that keep them encrypted: see {@link reveal}. */
  readonly sealed: string | null
}

/** The event can't be read: unknown type or version, wrong shape, or bytes that don't open with the person's key. */
export class UnreadableEvent extends Error {
  override readonly name = 'UnreadableEvent'
  constructor(event: StoredEvent, cause: unknown) {
    super(`${event.type} at ${event.stream}#${event.revision}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}

/** The field of stored data that holds all personal fields, encrypted as one. */
const SEALED = 'personal'

/**
 * The stored form of a decided event: JSON with money as decimal strings, its personal fields encrypted together.
 *
 * @param key The person's key; needed only for events with personal fields.
 */
export function encode(id: string, event: DomainEvent, metadata: Omit<Metadata, 'version'>, key: Uint8Array | undefined): EventToAppend {
  const definition = definitionOf(event.type)
  const data: Record<string, unknown> = { ...z.encode(definition.schema, z.looseObject({}).parse(event.data)) }
  if (definition.personal.size > 0) {
    if (!key) throw new Error(`${event.type} needs its person's key`)
    const secrets: Record<string, unknown> = {}
    for (const field of definition.personal.keys()) {
      secrets[field] = data[field]
      delete data[field]
    }
    data[SEALED] = seal(key, JSON.stringify(secrets), id).toString('base64')
  }
  const whole: Metadata = { version: definition.version, ...metadata }
  return { id, type: event.type, data: JSON.stringify(data), metadata: JSON.stringify(whole) }
}

/**
 * The fact that stored bytes hold, lifted to the current version of its shape.
 *
 * @throws {UnreadableEvent}
 */
export function decode(stored: StoredEvent, key: PersonKey | undefined): Recorded {
  try {
    const { id, stream, revision, position } = stored
    const definition = definitionOf(stored.type)
    const metadata = metadataSchema.parse(JSON.parse(stored.metadata))
    const raw = upcast(stored.type, storedData.parse(JSON.parse(stored.data)), metadata.version, definition.version)
    const { plain, secret } = schemasOf(stored.type, definition)
    const data = plain.parse(raw)
    const sealed = secret && typeof raw[SEALED] === 'string' ? raw[SEALED] : null
    if (secret) revealLazily(data, definition, () => reveal(stored.type, id, sealed, key))
    const event = { type: stored.type, data }
    if (!isKnownEvent(event)) throw new Error('unknown type')
    return { ...event, at: metadata.at, id, stream, revision, position, userId: personOf(stream), metadata, sealed }
  } catch (error) {
    throw new UnreadableEvent(stored, error)
  }
}

const storedData = z.record(z.string(), z.unknown())

/** Decrypting is most of the cost of reading, and folds seldom look at what is personal: so it waits until somebody does. */
function revealLazily(data: Record<string, unknown>, { personal }: EventDefinition, read: () => Record<string, unknown>) {
  let revealed: Record<string, unknown> | undefined
  for (const field of personal.keys()) {
    const get = () => {
      revealed ??= read()
      return revealed[field]
    }
    Object.defineProperty(data, field, { get, enumerable: true, configurable: true })
  }
}

/**
 * The personal fields of an event, decrypted; each reads its erased value once the person's key was destroyed.
 *
 * @throws {Error} when they are missing or don't open with this key.
 */
export function reveal(type: string, eventId: string, sealed: string | null, key: PersonKey | undefined): Record<string, unknown> {
  const definition = definitionOf(type)
  if (key === 'destroyed') return Object.fromEntries(definition.personal)
  if (!key) throw new Error('its person has no key')
  if (sealed === null) throw new Error('its personal fields are missing')
  const { secret } = schemasOf(type, definition)
  const revealed = storedData.parse(JSON.parse(open(key, Buffer.from(sealed, 'base64'), eventId).toString('utf8')))
  return secret ? secret.parse(revealed) : {}
}

function definitionOf(type: string): EventDefinition {
  const definition = Object.hasOwn(definitions, type) ? definitions[type] : undefined
  if (!definition) throw new Error(`unknown event type ${type}`)
  return definition
}

/** The data was parsed by the schema of this very type just before: that is what makes it one of ours. */
function isKnownEvent(event: DomainEvent): event is AnyEvent {
  return Object.hasOwn(definitions, event.type)
}

interface StoredSchemas {
  readonly plain: z.ZodType<Record<string, unknown>>
  /** Null for events without personal fields. */
  readonly secret: z.ZodType<Record<string, unknown>> | null
}

const storedSchemas = new Map<string, StoredSchemas>()

/** The two halves of an event's schema: what is stored in clear and what is stored encrypted. */
function schemasOf(type: string, { schema, personal }: EventDefinition): StoredSchemas {
  const known = storedSchemas.get(type)
  if (known) return known
  const fields = Object.entries<z.core.$ZodType>(schema.shape)
  const half = (secret: boolean) => z.object(Object.fromEntries(fields.filter(([field]) => personal.has(field) === secret)))
  const made = { plain: half(false), secret: personal.size > 0 ? half(true) : null }
  storedSchemas.set(type, made)
  return made
}
