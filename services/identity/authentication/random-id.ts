import { randomBytes } from 'node:crypto'
import type { Context } from '#services/event-sourcing/codec/metadata.ts'

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

/** An id for something new: 80 random bits in 16 letters and digits. */
export function randomId(): string {
  return idOf(randomBytes(16))
}

/**
 * An id for something that a request makes, like {@link randomId}. A request that takes effect once makes the same thing
 * when it is sent again.
 *
 * @param what The kind of thing; a request makes one of each.
 */
export function newId({ request }: Context, what: string): string {
  return request ? idOf(request.bytesFor(what).subarray(0, 16)) : randomId()
}

const idOf = (bytes: Uint8Array): string => Array.from(bytes, (byte) => ALPHABET[byte % 32]).join('')
