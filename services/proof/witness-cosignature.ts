import { verify } from 'node:crypto'
import type { NoteSignature, TreeCheckpoint } from './tree-checkpoint.ts'
import { publicKeyOf, type VerifierKey, verifierKeyId } from './verifier-key.ts'

/**
 * Cosignatures of witnesses as in C2SP tlog-cosignature (c2sp.org/tlog-cosignature), of the type for Ed25519: a witness
 * says that at a time, this was the largest tree of the log that it knew, and that it continues all earlier ones.
 */

/** 8 bytes of time, 64 of Ed25519. */
const LENGTH = 72

/** A note that names a key has a signature that this key did not make. */
export class WrongSignature extends Error {
  override readonly name = 'WrongSignature'
}

/** The text that a cosignature covers. @param seconds Since 1970. */
function cosignedText(body: string, seconds: number | bigint): string {
  return `cosignature/v1\ntime ${seconds}\n${body}`
}

/**
 * The signature line of a witness under a checkpoint.
 *
 * @param seconds When it signs, since 1970.
 * @param sign Makes the signature of a text, base64.
 */
export function cosignatureLine(
  witness: VerifierKey,
  body: string,
  seconds: number,
  sign: (text: string) => string,
): string {
  const time = Buffer.alloc(8)
  time.writeBigUInt64BE(BigInt(seconds))
  const bytes = Buffer.concat([
    Buffer.from(witness.id, 'hex'),
    time,
    Buffer.from(sign(cosignedText(body, seconds)), 'base64'),
  ])
  return `\u2014 ${witness.name} ${bytes.toString('base64')}\n`
}

/**
 * When a witness cosigned a checkpoint, in seconds since 1970; its first time, if the note has several.
 *
 * @returns undefined when it did not.
 * @throws {WrongSignature} when a line names its key, but the key did not sign this.
 */
export function cosignedAt(
  { body, signatures }: Pick<TreeCheckpoint, 'body' | 'signatures'>,
  witness: VerifierKey,
): number | undefined {
  const times = signaturesOf(signatures, witness).map(({ signature }) => {
    const bytes = Buffer.from(signature)
    const seconds = bytes.length === LENGTH ? bytes.readBigUInt64BE() : 0n
    const isSigned =
      seconds > 0n &&
      seconds < 2n ** 43n &&
      verify(null, Buffer.from(cosignedText(body, seconds)), publicKeyOf(witness), bytes.subarray(8))
    if (!isSigned) throw new WrongSignature(`The cosignature of ${witness.name} is not one of this checkpoint`)
    return Number(seconds)
  })
  return times.length === 0 ? undefined : Math.min(...times)
}

/**
 * Whether a log's key signed a checkpoint of its own origin.
 *
 * @throws {WrongSignature} when a line names the key, but the key did not sign this.
 */
export function isSignedByLog(
  { origin, body, signatures }: Pick<TreeCheckpoint, 'origin' | 'body' | 'signatures'>,
  log: VerifierKey,
): boolean {
  if (log.name !== origin) return false
  const own = signaturesOf(signatures, log)
  for (const { signature } of own)
    if (!verify(null, Buffer.from(body), publicKeyOf(log), signature))
      throw new WrongSignature(`The signature of ${log.name} is not one of this checkpoint`)
  return own.length > 0
}

/** The verifier key of a log, from its name and its raw public key in base64. */
export function logKey(origin: string, publicKey: string): VerifierKey {
  return { name: origin, id: verifierKeyId(origin, publicKey, 'log'), publicKey }
}

/** Returns the signatures by this key. A reader knows nothing of other keys. */
function signaturesOf(signatures: readonly NoteSignature[], { name, id }: VerifierKey): NoteSignature[] {
  return signatures.filter((line) => line.name === name && Buffer.from(line.keyId).toString('hex') === id)
}
