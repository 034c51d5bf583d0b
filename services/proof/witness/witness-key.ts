import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createDurably, isMissing, makeFolder } from '#infra/file-store/durable-file.ts'
import { signingKeyOf } from '#services/proof/seal-signing.ts'
import { keyTypes, type VerifierKey, verifierKeyId } from '#services/proof/verifier-key.ts'

/** The key of a witness, which signs its cosignatures. */
export interface WitnessKey extends VerifierKey {
  /** The signature of a text, base64. */
  sign(text: string): string
}

const FORM = /^PRIVATE\+KEY\+([^\s+\p{Cc}]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]{44})\n$/u

/**
 * The key in the folder of a witness. It is created, readable to its owner only, if there is none.
 *
 * @param name The name of a new key, such as `witness.example/w1`. A key keeps its name.
 * @throws {Error} when the file is not a key.
 */
export async function openWitnessKey(folder: string, name: string): Promise<WitnessKey> {
  const path = join(folder, 'witness.key')
  await makeFolder(folder)
  return parseKey((await readKey(path)) ?? (await createKey(path, name)), path)
}

async function readKey(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/** Creates the key; where two processes start together, only one does. */
async function createKey(path: string, name: string): Promise<string> {
  const seed = randomBytes(32)
  const id = verifierKeyId(name, signingKeyOf(seed).publicKey, 'witness')
  const text = `PRIVATE+KEY+${name}+${id}+${Buffer.concat([Buffer.of(keyTypes.witness), seed]).toString('base64')}\n`
  await createDurably(path, Buffer.from(text), `${path}.`)
  return readFile(path, 'utf8')
}

function parseKey(text: string, path: string): WitnessKey {
  const [, name = '', id = '', material = ''] = FORM.exec(text) ?? []
  const bytes = Buffer.from(material, 'base64')
  if (bytes.length !== 33 || bytes[0] !== keyTypes.witness) throw new Error(`${path} is not the key of a witness`)
  const { publicKey, sign } = signingKeyOf(bytes.subarray(1))
  if (verifierKeyId(name, publicKey, 'witness') !== id)
    throw new Error(`${path} is damaged: its key does not have the id ${id}`)
  return { name, id, publicKey, sign }
}
