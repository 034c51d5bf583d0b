import type { PersonKey } from '#services/event-sourcing/crypto-shredding/person-keys.ts'
import { decryptPersonalFields } from '#services/event-sourcing/codec/event-codec.ts'
import type { EventDefinition } from '#services/event-sourcing/event-definitions.ts'
import type { EncryptedFields } from './projection.ts'

/** Decrypted fields per key and event. Forgotten with the key, so that an erasure takes effect here too. */
const decrypted = new WeakMap<Uint8Array, Map<string, Record<string, unknown>>>()

/** The personal fields of an event, decrypted once while the person's key is cached. */
export function personalFields(
  definition: EventDefinition,
  { eventId, sealed }: EncryptedFields,
  key: PersonKey | undefined,
): Record<string, unknown> {
  if (key === undefined || key === 'destroyed') return decryptPersonalFields(definition, eventId, sealed, key)
  const ofPerson = decrypted.get(key) ?? new Map<string, Record<string, unknown>>()
  const known = ofPerson.get(eventId)
  if (known) return known
  const fields = decryptPersonalFields(definition, eventId, sealed, key)
  decrypted.set(key, ofPerson.set(eventId, fields))
  return fields
}
