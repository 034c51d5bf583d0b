import { createPublicKey, hash, type KeyObject } from 'node:crypto'
import { fromBase64, toBase64 } from './tree-checkpoint.ts'

/**
 * Verifier keys as in C2SP signed-note (c2sp.org/signed-note): the one-line texts by which logs and witnesses are
 * known.
 */

/** A log signs notes (Ed25519), a witness cosignatures (timestamped Ed25519). */
export const keyTypes = { log: 1, witness: 4 } as const
export type KeyUse = keyof typeof keyTypes

export interface VerifierKey {
  /** The key's name. That of a log is its origin. */
  readonly name: string
  /** The first four bytes of the hash of name, type and key, hex. */
  readonly id: string
  /** Raw, base64. */
  readonly publicKey: string
}

/** The bytes before an Ed25519 key in SPKI. */
export const SPKI_FRONT = Buffer.from('302a300506032b6570032100', 'hex')

/**
 * Reads a verifier key, `<name>+<id>+<type and key>`, in the only form in which it can be written.
 *
 * @throws {Error} with the reason, for anything else and for a key of another use.
 */
export function parseVerifierKey(text: string, use: KeyUse): VerifierKey {
  const [, name = '', id = '', material = ''] = /^([!-*,-~]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})$/u.exec(text) ?? []
  if (name === '') throw new Error(`This is not a verifier key: ${text}`)
  const [type, ...bytes] = base64Of(material)
  if (type !== keyTypes[use])
    throw new Error(
      `The verifier key of ${name} has type ${type ?? 'none'}; the key of a ${use} has type ${keyTypes[use]}`,
    )
  if (bytes.length !== 32) throw new Error(`The verifier key of ${name} is not 32 bytes long`)
  const publicKey = toBase64(new Uint8Array(bytes))
  if (verifierKeyId(name, publicKey, use) !== id)
    throw new Error(`The verifier key of ${name} does not have the id ${id}`)
  return { name, id, publicKey }
}

function base64Of(text: string): Uint8Array {
  try {
    return fromBase64(text)
  } catch {
    throw new Error('A verifier key is not written in base64')
  }
}

/** The line of a verifier key. */
export function verifierKeyText({ name, id, publicKey }: VerifierKey, use: KeyUse): string {
  return `${name}+${id}+${Buffer.concat([Buffer.of(keyTypes[use]), Buffer.from(publicKey, 'base64')]).toString('base64')}`
}

/** SHA-256(key name || 0x0A || type || public key), the first four bytes, hex. */
export function verifierKeyId(name: string, publicKey: string, use: KeyUse): string {
  return hash(
    'sha256',
    Buffer.concat([Buffer.from(`${name}\n`), Buffer.of(keyTypes[use]), Buffer.from(publicKey, 'base64')]),
  ).slice(0, 8)
}

/** The key for `node:crypto`. */
export function publicKeyOf({ publicKey }: Pick<VerifierKey, 'publicKey'>): KeyObject {
  return createPublicKey({
    key: Buffer.concat([SPKI_FRONT, Buffer.from(publicKey, 'base64')]),
    format: 'der',
    type: 'spki',
  })
}
