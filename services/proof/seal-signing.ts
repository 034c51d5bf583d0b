import { createPrivateKey, createPublicKey, hash, type KeyObject, sign } from 'node:crypto'
import type { PersonKeys } from '#services/event-sourcing/crypto-shredding/person-keys.ts'
import type { Seals } from './seal.ts'
import type { PublicKey } from './signed-texts.ts'
import { SPKI_FRONT } from './verifier-key.ts'

/** An Ed25519 key that signs seals. Its 32 random bytes are wrapped in the key store. */
export interface SigningKey extends PublicKey {
  /** The signature of a text, base64. */
  sign(text: string): string
}

/** The bytes before an Ed25519 key in PKCS #8. */
const PKCS8_FRONT = Buffer.from('302e020100300506032b657004220420', 'hex')

/** The name under which the key store has the nth key. */
export const sealingKeyId = (number: number) => `sealing.${number}`

/**
 * The nth sealing key of this installation.
 *
 * @param introduced How many keys the log has introduced: each of them must exist, and only a later one is created.
 * @throws {MissingKey} when the key store has lost it.
 */
export async function signingKey(
  keys: Pick<PersonKeys, 'require' | 'getOrCreate'>,
  number: number,
  introduced: number,
): Promise<SigningKey> {
  const id = sealingKeyId(number)
  const seed = number <= introduced ? await keys.require(id) : await keys.getOrCreate(id)
  if (seed === 'destroyed') throw new Error(`Sealing key ${number} was destroyed`)
  return signingKeyOf(seed)
}

/** All sealing keys of this installation, oldest first. They come from the key store, so a forged log can't add any. */
export async function signingKeys(keys: Pick<PersonKeys, 'get'>): Promise<SigningKey[]> {
  const found: SigningKey[] = []
  for (;;) {
    const name = sealingKeyId(found.length + 1)
    const seed = (await keys.get([name])).get(name)
    if (seed === undefined || seed === 'destroyed') return found
    found.push(signingKeyOf(seed))
  }
}

/** Whether anything was ever sealed, as far as the log or the key store shows. */
export async function wasEverSealed(
  { keys }: Pick<Seals, 'keys'>,
  personKeys: Pick<PersonKeys, 'get'>,
): Promise<boolean> {
  return keys.length > 0 || (await personKeys.get([sealingKeyId(1)])).size > 0
}

/** The key of 32 seed bytes. */
export function signingKeyOf(seed: Uint8Array): SigningKey {
  const privateKey: KeyObject = createPrivateKey({
    key: Buffer.concat([PKCS8_FRONT, seed]),
    format: 'der',
    type: 'pkcs8',
  })
  const raw = createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(SPKI_FRONT.length)
  return {
    id: hash('sha256', raw).slice(0, 16),
    publicKey: raw.toString('base64'),
    sign: (text) => sign(null, Buffer.from(text), privateKey).toString('base64'),
  }
}
