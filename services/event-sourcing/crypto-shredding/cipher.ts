import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const NONCE = 12
const TAG = 16

/** Encrypts with AES-256-GCM. `context` is bound to the result: it opens only with the same one. Nonce, tag, ciphertext. */
export function encrypt(key: Uint8Array, plain: Uint8Array | string, context: string): Buffer {
  const nonce = randomBytes(NONCE)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context))
  const encrypted = typeof plain === 'string' ? cipher.update(plain, 'utf8') : cipher.update(plain)
  const last = cipher.final()
  return Buffer.concat([nonce, cipher.getAuthTag(), encrypted, last])
}

/** The reverse of {@link encrypt}. @throws {Error} when key, context or bytes are not the same. */
export function decrypt(key: Uint8Array, sealed: Uint8Array, context: string): Buffer {
  // Without its length a shortened tag, which is easily forged, would do.
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE), { authTagLength: TAG })
    .setAAD(Buffer.from(context))
    .setAuthTag(sealed.subarray(NONCE, NONCE + TAG))
  return Buffer.concat([decipher.update(sealed.subarray(NONCE + TAG)), decipher.final()])
}
