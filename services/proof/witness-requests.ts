import { hash } from 'node:crypto'
import type { SigningKey } from './seal-signing.ts'
import { checkpointBody, checkpointNote, ownNote, parseCheckpoint } from './tree-checkpoint.ts'
import { cosignedAt } from './witness-cosignature.ts'
import type { PolicyWitness } from './witness-policy.ts'

/** The longest time to wait for a witness or a time-stamping authority, ms. */
const REQUEST_MS = 5_000
/** The longest time that a start waits for a witness, ms. */
const START_MS = 2_000
/** The largest response: a cosignature has 150 bytes, a time-stamp token with certificates some kB. */
const RESPONSE_BYTES = 64 * 1024
/** Another may ask the witness at the same time, so its size can change between two requests. */
const TRIES = 3

/** A witness has cosigned a tree that this log does not continue: the log was forked, or set back. */
export class WitnessRefusal extends Error {
  override readonly name = 'WitnessRefusal'
}

/** A request to a witness to cosign a checkpoint. */
export interface Cosigning {
  readonly witness: PolicyWitness
  /** The checkpoint. */
  readonly note: string
  /** The size that the witness probably cosigned last; 0 if nothing is known. */
  readonly old: number
  /** The proof that the tree of `first` leaves is the beginning of that of `second`. */
  consistencyOf(first: number, second: number): Promise<readonly Buffer[]>
  readonly signal: AbortSignal
}

/** A question to a witness about a log. */
export interface SizeRequest {
  readonly witness: PolicyWitness
  /** The origin of the log. */
  readonly origin: string
  /** Signs the question. */
  readonly key: SigningKey
  readonly signal: AbortSignal
}

/** The root of a tree without leaves (RFC 6962). */
const EMPTY_ROOT = Buffer.from(hash('sha256', ''), 'hex')

/**
 * Asks a witness to cosign a checkpoint (C2SP tlog-witness, add-checkpoint).
 *
 * @returns Its signature line.
 * @throws {WitnessRefusal} when the log does not continue what the witness cosigned.
 * @throws {Error} when it cannot be reached, or answers anything else.
 */
export async function requestCosignature({ witness, note, old, consistencyOf, signal }: Cosigning): Promise<string> {
  const { name, url } = witness
  if (!url) throw new Error(`The policy has no address of witness ${name}`)
  const own = ownNote(note)
  const { size } = parseCheckpoint(own)
  let from = old <= size ? old : 0
  for (let tries = 0; tries < TRIES; tries++) {
    const proof = from === 0 || from === size ? [] : await consistencyOf(from, size)
    const { status, text, size: cosigned } = await addCheckpoint(url, { from, proof, note: own }, signal)
    if (status === 200) return cosignatureIn(text, own, witness)
    if (status === 422)
      throw new WitnessRefusal(
        `Witness ${name} refuses the checkpoint of ${size}: it has cosigned another history of this log (${from})`,
      )
    if (cosigned === undefined) throw unexpected(name, status, text)
    from = cosigned
    if (from > size)
      throw new WitnessRefusal(
        `Witness ${name} has cosigned a tree of ${from}, and this log has only ${size}: it was set back`,
      )
  }
  throw new Error(`Witness ${name} changed its size ${TRIES} times`)
}

/**
 * Asks a witness how much of a log it has cosigned: it answers a checkpoint of the empty tree with the size of its own.
 *
 * @throws {Error} when it cannot be reached, does not know the log, or answers anything else.
 */
export async function requestCosignedSize({ witness, origin, key, signal }: SizeRequest): Promise<number> {
  const { name, url } = witness
  if (!url) throw new Error(`The policy has no address of witness ${name}`)
  const body = checkpointBody({ origin, size: 0, root: EMPTY_ROOT })
  const note = await checkpointNote(body, key.publicKey, Buffer.from(key.sign(body), 'base64'))
  const within = AbortSignal.any([signal, AbortSignal.timeout(START_MS)])
  const { status, text, size } = await addCheckpoint(url, { from: 0, proof: [], note }, within)
  if (status === 200) return 0
  if (size === undefined) throw unexpected(name, status, text)
  return size
}

/** The request of C2SP tlog-witness, and its answer: with 409 it has the size of the tree that the witness has cosigned. */
async function addCheckpoint(
  url: URL,
  { from, proof, note }: { readonly from: number; readonly proof: readonly Buffer[]; readonly note: string },
  signal: AbortSignal,
) {
  const { status, type, bytes } = await post(
    new URL(`${url.href.replace(/\/$/, '')}/add-checkpoint`),
    'text/plain; charset=utf-8',
    Buffer.from(`old ${from}\n${proof.map((each) => `${each.toString('base64')}\n`).join('')}\n${note}`),
    signal,
  )
  const text = bytes.toString()
  const hasSize = status === 409 && type === 'text/x.tlog.size' && /^(0|[1-9]\d{0,15})\n$/.test(text)
  return { status, text, size: hasSize ? Number(text) : undefined }
}

const unexpected = (name: string, status: number, text: string) =>
  new Error(`Witness ${name} answered ${status}: ${text.slice(0, 200).trim()}`)

/** The line of this witness. Lines of other keys do not matter. */
function cosignatureIn(text: string, own: string, { name, key }: PolicyWitness): string {
  for (const line of text.split(/(?<=\n)/))
    if (line.startsWith(`\u2014 ${key.name} `) && cosignedAt(parseCheckpoint(own + line), key) !== undefined)
      return line
  throw new Error(`Witness ${name} answered without its cosignature`)
}

/** Posts bytes, within the limits of time and size. @throws {Error} when there is no answer. */
export async function post(url: URL, type: string, body: Uint8Array<ArrayBuffer>, signal: AbortSignal) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': type },
    body,
    redirect: 'error',
    signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_MS)]),
  })
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > RESPONSE_BYTES) throw new Error(`The answer of ${url.host} is too large`)
    chunks.push(chunk)
  }
  return { status: response.status, type: response.headers.get('content-type'), bytes: Buffer.concat(chunks) }
}
