import { z } from 'zod'
import type { EventToAppend, Position, StoredEvent } from '../../../infra/event-store/event-store.ts'
import type { DomainEvent, EventDefinition, AppendedEvent } from '../event-definitions.ts'
import { decrypt, encrypt } from '../crypto-shredding/cipher.ts'
import { type Metadata, metadata as metadataSchema } from './metadata.ts'
import type { PersonKey } from '../crypto-shredding/person-keys.ts'
import { type AnyEvent, definitions, personIdOf } from '../../domain/streams.ts'
import { upcast } from './upcasters.ts'

/** A fact as read from the log. Personal fields are decrypted when they are first looked at. */
export type RecordedEvent<Event extends DomainEvent = AnyEvent> = AppendedEvent<Event> & {
  readonly id: string
  readonly stream: string
  readonly position: Position
  /** Whom the stream is about, when it is about a user. */
  readonly userId: string | undefined
  /** Parsed when first looked at, by a getter: copies made with `{ ...fact }` don't have it. */
  readonly metadata: Metadata
  /** The personal fields as they are stored, for views that keep them encrypted: see {@link decryptPersonalFields}. */
  readonly ciphertext: string | null
}

/**
 * The event can't be read: unknown type or version, wrong shape, or bytes that don't open with the person's key.
 * What is read late (metadata, personal fields) throws it late, when it is looked at.
 */
export class UnreadableEvent extends Error {
  override readonly name = 'UnreadableEvent'
  constructor(event: Pick<StoredEvent, 'type' | 'stream' | 'revision'>, cause: unknown) {
    super(`${event.type} at ${event.stream}#${event.revision}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}

const anyObject = z.looseObject({})

/** The field of stored data that holds all personal fields, encrypted as one. */
const PERSONAL_FIELD = 'personal'

/**
 * The stored form of a decided event: JSON with money as decimal strings, its personal fields encrypted together.
 *
 * @param key The person's key; needed only for events with personal fields.
 */
export function encodeEvent(id: string, event: DomainEvent, metadata: Omit<Metadata, 'version'>, key: Uint8Array | undefined): EventToAppend {
  const { definition } = shapeOf(event.type)
  const data: Record<string, unknown> = { ...z.encode(definition.schema, anyObject.parse(event.data)) }
  if (definition.personal.size > 0) {
    if (!key) throw new Error(`${event.type} needs its person's key`)
    const secrets: Record<string, unknown> = {}
    for (const field of definition.personal.keys()) {
      secrets[field] = data[field]
      delete data[field]
    }
    data[PERSONAL_FIELD] = encrypt(key, JSON.stringify(secrets), id).toString('base64')
  }
  const whole: Metadata = { version: definition.version, ...metadata }
  return { id, type: event.type, data: JSON.stringify(data), metadata: JSON.stringify(whole) }
}

/**
 * The fact that stored bytes hold, lifted to the current version of its shape.
 *
 * @throws {UnreadableEvent}
 */
export function decodeEvent(stored: StoredEvent, key: PersonKey | undefined): RecordedEvent {
  try {
    const { definition, plain, secret } = shapeOf(stored.type)
    const { version, at } = parseMetadataFront(stored.metadata)
    const raw = upcast(stored.type, parseObject(stored.data), version, definition.version)
    const data = plain.parse(raw)
    const sealed = secret && typeof raw[PERSONAL_FIELD] === 'string' ? raw[PERSONAL_FIELD] : null
    if (secret) decryptLazily(data, stored, sealed, key)
    const fact = new DecodedEvent(stored, data, at, sealed)
    if (!isKnownEvent(fact)) throw new Error('unknown type')
    return fact
  } catch (error) {
    throw new UnreadableEvent(stored, error)
  }
}

/** A fact whose metadata is read when it is first looked at: it is most of the stored text, and folds have no use for it. */
class DecodedEvent implements RecordedEvent<DomainEvent> {
  readonly type: string
  readonly id: string
  readonly stream: string
  readonly revision: number
  readonly position: Position
  readonly userId: string | undefined
  #metadata: Metadata | string

  constructor(
    stored: StoredEvent,
    readonly data: Record<string, unknown>,
    readonly at: number,
    readonly ciphertext: string | null,
  ) {
    this.type = stored.type
    this.id = stored.id
    this.stream = stored.stream
    this.revision = stored.revision
    this.position = stored.position
    this.userId = personIdOf(stored.stream)
    this.#metadata = stored.metadata
  }

  get metadata(): Metadata {
    if (typeof this.#metadata !== 'string') return this.#metadata
    try {
      const { version, at } = parseMetadataFront(this.#metadata)
      const whole = metadataSchema.parse(JSON.parse(this.#metadata))
      if (whole.version !== version || whole.at !== at) throw new Error('its metadata contradicts itself')
      this.#metadata = whole
      return whole
    } catch (error) {
      throw new UnreadableEvent(this, error)
    }
  }
}

/** What folding needs of an event's metadata. {@link encodeEvent} writes it first, so that it can be read without parsing the rest. */
const front = /^\{"version":(\d{1,9}),"at":(\d{1,15}),/

function parseMetadataFront(json: string): Pick<Metadata, 'version' | 'at'> {
  const found = front.exec(json)
  return found ? { version: Number(found[1]), at: Number(found[2]) } : metadataSchema.parse(JSON.parse(json))
}

/** The object that a JSON text holds. @throws {Error} when it holds something else. */
function parseObject(json: string): Record<string, unknown> {
  const value: unknown = JSON.parse(json)
  if (!isObject(value)) throw new Error('its data is no object')
  return value
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Decrypting is most of the cost of reading, and folds seldom look at what is personal: so it waits until somebody does. */
function decryptLazily(data: LazilyDecrypted, stored: StoredEvent, sealed: string | null, key: PersonKey | undefined) {
  const { type, id, stream, revision } = stored
  let revealed: Record<string, unknown> | undefined
  Object.defineProperties(data, shapeOf(type).accessors)
  data[readPersonal] = () => {
    try {
      revealed ??= decryptPersonalFields(type, id, sealed, key)
      return revealed
    } catch (error) {
      throw new UnreadableEvent({ type, stream, revision }, error)
    }
  }
}

/** Where an event's data keeps the way to its personal fields, so that all events of a type can share their getters. */
const readPersonal = Symbol('unread')

interface LazilyDecrypted {
  [readPersonal]?: () => Record<string, unknown>
}

/** The properties that personal fields are at first. What is not enumerable is in no copy and no comparison. */
function accessorsOf(fields: Iterable<string>): PropertyDescriptorMap {
  const accessors: PropertyDescriptorMap = { [readPersonal]: { value: undefined, writable: true, enumerable: false } }
  for (const field of fields) {
    accessors[field] = {
      enumerable: true,
      configurable: true,
      get(this: LazilyDecrypted) {
        return this[readPersonal]?.()[field]
      },
    }
  }
  return accessors
}

/**
 * The personal fields of an event, decrypted; each reads its erased value once the person's key was destroyed.
 *
 * @throws {Error} when they are missing or don't open with this key.
 */
export function decryptPersonalFields(type: string, eventId: string, sealed: string | null, key: PersonKey | undefined): Record<string, unknown> {
  const { definition, secret } = shapeOf(type)
  if (key === 'destroyed') return Object.fromEntries(definition.personal)
  if (!key) throw new Error('its person has no key')
  if (sealed === null) throw new Error('its personal fields are missing')
  const revealed = parseObject(decrypt(key, Buffer.from(sealed, 'base64'), eventId).toString('utf8'))
  return secret ? secret.parse(revealed) : {}
}

/** The data was parsed by the schema of this very type just before: that is what makes it one of ours. */
function isKnownEvent(fact: RecordedEvent<DomainEvent>): fact is RecordedEvent {
  return shapes.has(fact.type)
}

/** An event's definition, and the two halves of its schema: what is stored in clear and what is stored encrypted. */
interface StoredShape {
  readonly definition: EventDefinition
  readonly plain: z.ZodType<Record<string, unknown>>
  /** Null for events without personal fields. */
  readonly secret: z.ZodType<Record<string, unknown>> | null
  /** The getters of the personal fields. */
  readonly accessors: PropertyDescriptorMap
}

const shapes: ReadonlyMap<string, StoredShape> = new Map(Object.entries(definitions).map(([type, definition]) => [type, splitShape(definition)]))

function shapeOf(type: string): StoredShape {
  const shape = shapes.get(type)
  if (!shape) throw new Error(`unknown event type ${type}`)
  return shape
}

function splitShape(definition: EventDefinition): StoredShape {
  const { schema, personal } = definition
  const fields = Object.entries<z.core.$ZodType>(schema.shape)
  const half = (secret: boolean) => z.object(Object.fromEntries(fields.filter(([field]) => personal.has(field) === secret)))
  return { definition, plain: half(false), secret: personal.size > 0 ? half(true) : null, accessors: accessorsOf(personal.keys()) }
}
