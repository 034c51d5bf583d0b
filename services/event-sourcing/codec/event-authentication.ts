import { createHmac, timingSafeEqual } from 'node:crypto'
import type { EventToAppend, StoredEvent } from '#infra/event-store/event-store.ts'

/**
 * Each event carries a MAC (HMAC-SHA-256) in its metadata, under a key that the log's storage does not hold. It covers
 * stream, revision, id, type, data and the rest of the metadata, which names the hash of the stream's event before.
 * Only the portal can append such an event. docs/decisions/021-authentic-events.md
 */

/** The faults of an event, in words. */
const forgeries = {
  altered: 'it is not authentic: it was altered, or appended with another key',
  added: 'it is not authentic: the portal did not append it',
}

/** An event as the authenticated store reads it. */
export interface CheckedEvent extends StoredEvent {
  /**
   * Set where the event is not authentic: its MAC is not that of its bytes, or it has none. It is never folded and
   * never sealed.
   */
  readonly forgery?: keyof typeof forgeries
}

/** Why an event is not authentic; undefined if it is. */
export function forgeryOf({ forgery }: CheckedEvent): string | undefined {
  return forgery && forgeries[forgery]
}

export function isAuthentic({ forgery }: CheckedEvent): boolean {
  return forgery === undefined
}

/** The last field of metadata is the hash of the event before; the MAC precedes it. */
const macPattern = /,"mac":"([A-Za-z0-9_-]{43})"(?=,"previous":(?:null|"[0-9a-f]{64}")\}$)/

/** The event with its MAC. @throws {TypeError} when its metadata is not as `encodeEvent` writes it. */
export function signEvent(key: Uint8Array, stream: string, revision: number, event: EventToAppend): EventToAppend {
  const { metadata } = event
  const at = metadata.lastIndexOf(',"previous":')
  const signed = {
    ...event,
    metadata: `${metadata.slice(0, at)},"mac":"${macOf(key, stream, revision, event).toString('base64url')}"${metadata.slice(at)}`,
  }
  if (!macPattern.test(signed.metadata)) throw new TypeError(`The metadata of ${event.id} has no place for a MAC`)
  return signed
}

/** Whether a portal appended an event, this one or another: it has a MAC. */
export function isOfSomePortal({ metadata }: Pick<StoredEvent, 'metadata'>): boolean {
  return macPattern.test(metadata)
}

/** Whether an event has the MAC of this key, another one, or none. */
export function checkMac(key: Uint8Array, event: StoredEvent): 'authentic' | 'forged' | 'unsigned' {
  const { stream, revision, metadata } = event
  const found = macPattern.exec(metadata)
  if (!found) return 'unsigned'
  const [field, mac = ''] = found
  const rest = metadata.slice(0, found.index) + metadata.slice(found.index + field.length)
  return timingSafeEqual(macOf(key, stream, revision, { ...event, metadata: rest }), Buffer.from(mac, 'base64url'))
    ? 'authentic'
    : 'forged'
}

function macOf(key: Uint8Array, stream: string, revision: number, { id, type, data, metadata }: EventToAppend): Buffer {
  // Lengths before texts, so that no two different events give the same bytes.
  const parts = [stream, String(revision), id, type, data, metadata].map((part) => `${Buffer.byteLength(part)}:${part}`)
  return createHmac('sha256', key).update(parts.join('')).digest()
}
