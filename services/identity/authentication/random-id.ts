import { randomBytes } from 'node:crypto'

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

/** An id for something new: 80 random bits in 16 letters and digits. */
export function randomId(): string {
  return Array.from(randomBytes(16), (byte) => ALPHABET[byte % 32]).join('')
}
