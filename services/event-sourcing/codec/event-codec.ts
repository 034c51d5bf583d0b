import { hash, randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { EventToAppend, Position, StoredEvent } from '#infra/event-store/event-store.ts'
import type { AppendedEvent, DomainEvent, EventDefinition } from '../event-definitions.ts'
import { definitionOf, type EventRegistry } from '../event-registry.ts'
import { decrypt, encrypt } from '#services/event-sourcing/crypto-shredding/cipher.ts'
import { COMMITMENTS_FIELD, disclosureOf, SALTS_FIELD } from '#services/event-sourcing/crypto-shredding/disclosures.ts'
import { DECISION_VERSION } from '#services/rules/decision-version.ts'
import { ACTOR_HASH_FIELD, decisionsIn, decodeClearData, DECISIONS_FIELD, parseObject } from './event-decoding.ts'
import { type CheckedEvent, forgeryOf } from './event-authentication.ts'
import { type Metadata, metadata as metadataSchema } from './metadata.ts'
import type { PersonKey } from '#services/event-sourcing/crypto-shredding/person-keys.ts'

/** An event as read from the log, with its personal fields decrypted. */
export type RecordedEvent<Event extends DomainEvent = DomainEvent> = AppendedEvent<Event> & {
  readonly id: string
  readonly stream: string
  readonly position: Position
  /** The person whom the stream is about, if it is about one. */
  readonly personId: string | undefined
  readonly metadata: Metadata
  /**
   * The personal fields as they are stored, for projections that keep them encrypted: see {@link
   * decryptPersonalFields}.
   */
  readonly ciphertext: string | null
  /**
   * The content of the ciphertext, with the salts of its commitments: see `disclosuresOf`. Null without personal fields and
   * after an erasure.
   */
  readonly personalFields: Readonly<Record<string, unknown>> | null
}

/** The event cannot be read: unknown type or version, wrong shape, or bytes that the person's key does not decrypt. */
export class UnreadableEvent extends Error {
  override readonly name = 'UnreadableEvent'
  constructor(event: Pick<StoredEvent, 'type' | 'stream' | 'revision'>, cause: unknown) {
    super(
      `${event.type} at ${event.stream}#${event.revision}: ${cause instanceof Error ? cause.message : String(cause)}`,
      { cause },
    )
  }
}

/** The portal did not append the event as it is: see event-authentication.ts. */
export class ForgedEvent extends UnreadableEvent {}

const anyObject = z.looseObject({})

/** The field of stored data that holds all personal fields, encrypted as one. */
const PERSONAL_FIELD = 'personal'

/**
 * The stored form of a decided event: JSON with money as decimal strings, its personal fields encrypted together,
 * beside commitments to those that an export can disclose.
 *
 * @param key The person's key; needed only for events with personal fields.
 * @param actorHash Names the actor for the person whom the stream is about: see {@link ACTOR_HASH_FIELD}.
 */
export function encodeEvent(
  registry: EventRegistry,
  id: string,
  event: DomainEvent,
  metadata: Omit<Metadata, 'version'>,
  key: Uint8Array | undefined,
  actorHash?: string,
): EventToAppend {
  const { schema, personal, disclosable, version } = definitionOf(registry, event.type)
  const data: Record<string, unknown> = { ...z.encode(schema, anyObject.parse(event.data)) }
  if (personal.size > 0) {
    if (!key) throw new Error(`${event.type} needs its person's key`)
    const secrets: Record<string, unknown> = {}
    for (const field of personal.keys()) {
      secrets[field] = data[field]
      delete data[field]
    }
    if (disclosable.size > 0) {
      const salts = Object.fromEntries([...disclosable].map((field) => [field, randomBytes(16).toString('base64url')]))
      const commit = ([field, salt]: [string, string]) => [
        field,
        hash('sha256', disclosureOf(salt, field, secrets[field]), 'base64url'),
      ]
      data[COMMITMENTS_FIELD] = Object.fromEntries(Object.entries(salts).map(commit))
      secrets[SALTS_FIELD] = salts
    }
    data[PERSONAL_FIELD] = encrypt(key, padded(JSON.stringify(secrets)), id).toString('base64')
  }
  if (actorHash !== undefined) data[ACTOR_HASH_FIELD] = actorHash
  data[DECISIONS_FIELD] = DECISION_VERSION
  const whole: Metadata = { version, ...metadata }
  return { id, type: event.type, data: JSON.stringify(data), metadata: JSON.stringify(whole) }
}

/** The ciphertext in an export must not tell how long a password is. */
const PADDED_TO = 256

/** A JSON text with blanks after it, up to a multiple of {@link PADDED_TO} bytes. */
function padded(json: string): string {
  const length = Buffer.byteLength(json)
  return json + ' '.repeat(Math.ceil(length / PADDED_TO) * PADDED_TO - length)
}

/**
 * The event that stored bytes hold.
 *
 * @throws {UnreadableEvent} {@link ForgedEvent} when the store found that it is not authentic.
 */
export function decodeEvent<Event extends DomainEvent>(
  registry: EventRegistry<Event>,
  stored: CheckedEvent,
  key: PersonKey | undefined,
): RecordedEvent<Event> {
  const forgery = forgeryOf(stored)
  if (forgery !== undefined) throw new ForgedEvent(stored, forgery)
  try {
    const { type, id, stream, revision, position } = stored
    const definition = definitionOf(registry, type)
    const metadata = metadataSchema.parse(JSON.parse(stored.metadata))
    const { raw, data } = decodeClearData(type, definition, stored.data, metadata.version)
    const ciphertext =
      definition.personal.size > 0 && typeof raw[PERSONAL_FIELD] === 'string' ? raw[PERSONAL_FIELD] : null
    const personalFields =
      definition.personal.size > 0 && key !== 'destroyed' ? openCiphertext(id, ciphertext, key) : null
    Object.assign(
      data,
      personalFields ? definition.personalSchema.parse(personalFields) : Object.fromEntries(definition.personal),
    )
    const personId = registry.personIdOf(stream)
    const event = {
      type,
      data,
      at: metadata.at,
      revision,
      decisions: decisionsIn(raw),
      id,
      stream,
      position,
      personId,
      metadata,
      ciphertext,
      personalFields,
    }
    if (!isRegistered(registry, event)) throw new Error('unknown type')
    return event
  } catch (error) {
    throw new UnreadableEvent(stored, error)
  }
}

/** Whether an event is one of the registry: its data was parsed by the schema of its type. */
export function isRegistered<Event extends DomainEvent>(
  { definitions }: EventRegistry<Event>,
  event: RecordedEvent,
): event is RecordedEvent<Event> {
  return Object.hasOwn(definitions, event.type)
}

/**
 * The personal fields of an event, decrypted; each reads its erased value once the person's key was destroyed.
 *
 * @throws {Error} when they are missing or the key does not decrypt them.
 */
export function decryptPersonalFields(
  { personal, personalSchema }: Pick<EventDefinition, 'personal' | 'personalSchema'>,
  eventId: string,
  ciphertext: string | null,
  key: PersonKey | undefined,
): Record<string, unknown> {
  return key === 'destroyed'
    ? Object.fromEntries(personal)
    : personalSchema.parse(openCiphertext(eventId, ciphertext, key))
}

function openCiphertext(
  eventId: string,
  ciphertext: string | null,
  key: Uint8Array | undefined,
): Record<string, unknown> {
  if (!key) throw new Error('its person has no key')
  if (ciphertext === null) throw new Error('its personal fields are missing')
  return parseObject(decrypt(key, Buffer.from(ciphertext, 'base64'), eventId).toString('utf8'))
}
