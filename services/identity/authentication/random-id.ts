import { randomBytes } from 'node:crypto'
import type { Context } from '#services/event-sourcing/codec/metadata.ts'

const ID_BYTES = 16
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

/** An id for something new: 80 random bits in 16 letters and digits. */
export function randomId(): string {
  return idOf(randomBytes(ID_BYTES))
}

/** 32 bytes for something that a request makes: random ones, but of a request that takes effect once always the same. */
export function newBytes({ request }: Partial<Pick<Context, 'request'>>, what: string): Buffer {
  return request ? Buffer.from(request.bytesFor(what)) : randomBytes(32)
}

/**
 * An id for something that a request makes, like {@link randomId}. A request that takes effect once makes the same thing
 * when it is sent again.
 *
 * @param what The kind of thing; a request makes one of each.
 */
export function newId(context: Context, what: string): string {
  return idOf(newBytes(context, what).subarray(0, ID_BYTES))
}

const idOf = (bytes: Uint8Array): string => Array.from(bytes, (byte) => ALPHABET[byte % 32]).join('')
