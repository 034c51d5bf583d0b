import { createPrivateKey, createPublicKey, hash, type KeyObject, sign } from 'node:crypto'
import type { PersonKeys } from '../event-sourcing/crypto-shredding/person-keys.ts'
import type { PublicKey } from './export-verification.ts'

/** The key that seals are signed with: Ed25519, made of 32 random bytes that the key store keeps wrapped by the master key. */

export interface SigningKey extends PublicKey {
  /** Over a text, base64. */
  sign(text: string): string
}

/** What a PKCS #8 file of an Ed25519 key has before its 32 bytes, and an SPKI file. */
const PRIVATE_FRONT = Buffer.from('302e020100300506032b657004220420', 'hex')
const PUBLIC_FRONT = Buffer.from('302a300506032b6570032100', 'hex')

/** The name under which the key store has the nth key. */
const nameOf = (number: number) => `sealing.${number}`

/** The nth sealing key of this installation, made now if there never was one. */
export async function signingKey(keys: Pick<PersonKeys, 'getOrCreate'>, number: number): Promise<SigningKey> {
  const seed = await keys.getOrCreate(nameOf(number))
  if (seed === 'destroyed') throw new Error(`Sealing key ${number} was destroyed`)
  return signingKeyOf(seed)
}

/** Every sealing key that this installation has, oldest first: from the key store, whatever the log says. */
export async function signingKeys(keys: Pick<PersonKeys, 'get'>): Promise<SigningKey[]> {
  const found: SigningKey[] = []
  for (;;) {
    const name = nameOf(found.length + 1)
    const seed = (await keys.get([name])).get(name)
    if (seed === undefined || seed === 'destroyed') return found
    found.push(signingKeyOf(seed))
  }
}

/** The key that 32 bytes make. */
export function signingKeyOf(seed: Uint8Array): SigningKey {
  const privateKey: KeyObject = createPrivateKey({ key: Buffer.concat([PRIVATE_FRONT, seed]), format: 'der', type: 'pkcs8' })
  const raw = createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(PUBLIC_FRONT.length)
  return {
    id: hash('sha256', raw).slice(0, 16),
    publicKey: raw.toString('base64'),
    sign: (text) => sign(null, Buffer.from(text), privateKey).toString('base64'),
  }
}
