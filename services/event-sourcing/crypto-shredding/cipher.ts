import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const NONCE = 12
const TAG = 16

/**
 * Encrypts with AES-256-GCM, bound to `context`. The result is nonce, tag, ciphertext.
 *
 * @param nonce 12 bytes that were never used with this key: random ones, unless the key lives so short that one can count.
 */
export function encrypt(
  key: Uint8Array,
  plain: Uint8Array | string,
  context: string,
  nonce: Uint8Array = randomBytes(NONCE),
): Buffer {
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context))
  const encrypted = typeof plain === 'string' ? cipher.update(plain, 'utf8') : cipher.update(plain)
  const last = cipher.final()
  return Buffer.concat([nonce, cipher.getAuthTag(), encrypted, last])
}

/** The reverse of {@link encrypt}. @throws {Error} when key, context or bytes differ. */
export function decrypt(key: Uint8Array, sealed: Uint8Array, context: string): Buffer {
  // Without a fixed length a shortened tag, which is easily forged, would be accepted.
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE), { authTagLength: TAG })
    .setAAD(Buffer.from(context))
    .setAuthTag(sealed.subarray(NONCE, NONCE + TAG))
  return Buffer.concat([decipher.update(sealed.subarray(NONCE + TAG)), decipher.final()])
}

/** The same; undefined when key, context or bytes differ. */
export function decryptIfAuthentic(key: Uint8Array, sealed: Uint8Array, context: string): Buffer | undefined {
  // Shorter bytes have no whole tag.
  if (sealed.length < NONCE + TAG) return undefined
  try {
    return decrypt(key, sealed, context)
  } catch (error) {
    if (error instanceof Error && /authenticate/.test(error.message)) return undefined
    throw error
  }
}
