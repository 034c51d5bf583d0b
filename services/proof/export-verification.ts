/**
 * The parts of a proof, and the checks that anyone can run offline. These functions use only WebCrypto and each other:
 * verify.html contains their source text (see verify-page.ts), so a trader's browser runs the code that is tested here.
 *
 * Hashing is RFC 6962's: a leaf is SHA-256(0x00 || bytes), a node SHA-256(0x01 || left || right).
 */

/** An event as in its leaf. Hashes are SHA-256, hex, over the stored texts. */
export interface SealedEvent {
  readonly position: string
  readonly stream: string
  readonly revision: number
  readonly id: string
  readonly type: string
  /** Ms since 1970, from the event's metadata. */
  readonly at: number
  readonly dataHash: string
  readonly metadataHash: string
}

/** A signed statement that the log between two positions was these events, in this order. */
export interface Seal {
  readonly number: number
  readonly first: string
  readonly last: string
  readonly count: number
  /** Merkle root over the events' leaves. */
  readonly root: string
  /** Hash of the seal before, null for the first. */
  readonly previous: string | null
  readonly sealedAt: number
  readonly keyId: string
  /** Merkle root over all seals up to this one, without their histories. */
  readonly history: string
  /** Ed25519 over {@link signedText}, base64. */
  readonly signature: string
}

export interface PublicKey {
  readonly id: string
  /** Raw, base64. */
  readonly publicKey: string
}

/** The text of an event's leaf. JSON of a list of numbers and texts is the same everywhere. */
export function leafText({ position, stream, revision, id, type, at, dataHash, metadataHash }: SealedEvent): string {
  return JSON.stringify([position, stream, revision, id, type, at, dataHash, metadataHash])
}

/** The text of a seal's leaf in the history of seals. */
export function sealText({ number, first, last, count, root, previous, sealedAt, keyId }: Omit<Seal, 'history' | 'signature'>): string {
  return JSON.stringify(['proofdesk seal 1', number, first, last, count, root, previous, sealedAt, keyId])
}

/** The text that a seal's signature covers, and whose hash the next seal names. */
export function signedText(seal: Omit<Seal, 'signature'>): string {
  return JSON.stringify([sealText(seal), seal.history])
}

/** The text that a sealing key signs to name its successor. */
export function endorsementText(before: string, { id, publicKey }: PublicKey): string {
  return JSON.stringify(['proofdesk sealing key 1', before, id, publicKey])
}

/** SHA-256. */
export async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
}

/** SHA-256 of a text, hex. */
export async function textHash(text: string): Promise<string> {
  return toHex(await sha256(new TextEncoder().encode(text)))
}

/** Hash of a leaf with this text, hex. */
export async function leafHash(text: string): Promise<string> {
  return textHash(`\0${text}`)
}

/** Hash of a node over two others, hex. */
export async function nodeHash(left: string, right: string): Promise<string> {
  const bytes = new Uint8Array(65)
  bytes[0] = 1
  bytes.set(fromHex(left), 1)
  bytes.set(fromHex(right), 33)
  return toHex(await sha256(bytes))
}

/** Bytes as hex. */
export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** The bytes of a hash in hex. @throws {Error} for anything else. */
export function fromHex(hex: string): Uint8Array<ArrayBuffer> {
  if (!/^[0-9a-f]{64}$/.test(hex)) throw new Error('a hash is not written as one')
  return Uint8Array.from({ length: 32 }, (_, n) => Number.parseInt(hex.slice(n * 2, n * 2 + 2), 16))
}

/** The root that a leaf at this index of a tree of this size leads to (RFC 9162, 2.1.3.2); undefined for a path of the wrong length. */
export async function rootByInclusion(leaf: string, index: number, size: number, path: readonly string[]): Promise<string | undefined> {
  if (!(Number.isSafeInteger(index) && Number.isSafeInteger(size) && index >= 0 && index < size)) return undefined
  let [node, last] = [index, size - 1]
  let hash = leaf
  for (const next of path) {
    if (last === 0) return undefined
    if (node % 2 === 1 || node === last) {
      hash = await nodeHash(next, hash)
      while (node % 2 === 0 && node !== 0) [node, last] = [Math.floor(node / 2), Math.floor(last / 2)]
    } else hash = await nodeHash(hash, next)
    node = Math.floor(node / 2)
    last = Math.floor(last / 2)
  }
  return last === 0 ? hash : undefined
}

/** Whether a tree of a size is the beginning of a larger one (RFC 9162, 2.1.4.2). */
export async function isConsistent(
  first: { readonly size: number; readonly root: string },
  second: { readonly size: number; readonly root: string },
  path: readonly string[],
): Promise<boolean> {
  if (first.size === second.size) return path.length === 0 && first.root === second.root
  if (!(first.size > 0 && first.size < second.size)) return false
  let [node, last] = [first.size - 1, second.size - 1]
  while (node % 2 === 1) [node, last] = [Math.floor(node / 2), Math.floor(last / 2)]
  // A size that is a power of two has its root in the larger tree.
  const hashes = node === 0 ? [first.root, ...path] : [...path]
  const start = hashes.shift()
  if (start === undefined) return false
  let [one, two] = [start, start]
  for (const next of hashes) {
    if (last === 0) return false
    if (node % 2 === 1 || node === last) {
      one = await nodeHash(next, one)
      two = await nodeHash(next, two)
      while (node % 2 === 0 && node !== 0) [node, last] = [Math.floor(node / 2), Math.floor(last / 2)]
    } else two = await nodeHash(two, next)
    node = Math.floor(node / 2)
    last = Math.floor(last / 2)
  }
  return last === 0 && one === first.root && two === second.root
}

/** Whether a key has signed a text. */
export async function isSigned(text: string, signature: string, { publicKey }: PublicKey): Promise<boolean> {
  const bytes = (base64: string) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  try {
    const key = await crypto.subtle.importKey('raw', bytes(publicKey), { name: 'Ed25519' }, false, ['verify'])
    return await crypto.subtle.verify({ name: 'Ed25519' }, key, bytes(signature), new TextEncoder().encode(text))
  } catch (error) {
    if (error instanceof Error && error.name === 'NotSupportedError') throw new Error('This browser can not check Ed25519 signatures', { cause: error })
    return false
  }
}

/** The id of a public key: the beginning of its hash. */
export async function keyIdOf(publicKey: string): Promise<string> {
  return toHex(await sha256(Uint8Array.from(atob(publicKey), (character) => character.charCodeAt(0)))).slice(0, 16)
}

/** What is wrong with an export, and what is not proven yet. */
export interface ExportReport {
  /** Empty when everything sealed is unchanged. */
  readonly problems: readonly string[]
  readonly facts: readonly CheckedEvent[]
  /** The keys that signed, for comparing them with those that the firm has published. */
  readonly keyIds: readonly string[]
  /** When the newest seal was made, ms since 1970; null without one. */
  readonly sealedAt: number | null
}

export interface CheckedEvent {
  readonly position: string
  readonly type: string
  readonly at: number
  /** The number of the event's seal; null while it is not sealed. */
  readonly seal: number | null
  readonly isProven: boolean
  /** The data as recorded; empty where it is withheld. */
  readonly recorded: string
}

/**
 * Checks an export on its own: each event against the root of its seal, each seal against its signature and the history up
 * to the newest, each stream for gaps, and the shown entries against the recorded events.
 *
 * @param trusted Ids of the keys that the reader trusts; without any, the keys in the export are trusted. Trust in a key
 * extends to successors that it signed, and to earlier seals in the history of a trusted newest seal.
 */
export async function verifyExport(bundle: unknown, trusted: readonly string[] = []): Promise<ExportReport> {
  const record = (value: unknown): Record<string, unknown> => (typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {})
  const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
  const text = (value: unknown): string => (typeof value === 'string' ? value : '')
  const number = (value: unknown): number => (typeof value === 'number' ? value : -1)
  const texts = (value: unknown): readonly string[] => list(value).map(text)
  const sealIn = (value: unknown): Seal => {
    const { number: n, first, last, count, root, previous, sealedAt, keyId, history, signature } = record(value)
    const range = { number: number(n), first: text(first), last: text(last), count: number(count), root: text(root) }
    const chain = { previous: typeof previous === 'string' ? previous : null, sealedAt: number(sealedAt), keyId: text(keyId) }
    return { ...range, ...chain, history: text(history), signature: text(signature) }
  }

  const problems: string[] = []
  const events: CheckedEvent[] = []
  const content = record(bundle)
  const proof = record(content['proof'])
  if (content['format'] !== 'proofdesk export 1') return { problems: ['This file is not an export of Proofdesk'], facts: events, keyIds: [], sealedAt: null }

  const keys = new Map<string, PublicKey>()
  const order: string[] = []
  const trustedIds = new Set(trusted)
  let keyBefore: PublicKey | undefined
  for (const entry of list(proof['keys']).map(record)) {
    const key = { id: text(entry['id']), publicKey: text(entry['publicKey']) }
    if ((await keyIdOf(key.publicKey).catch(() => '')) !== key.id) {
      problems.push(`Key ${key.id} does not match its id`)
      continue
    }
    const isEndorsed = keyBefore !== undefined && (await isSigned(endorsementText(keyBefore.id, key), text(entry['endorsement']), keyBefore))
    if (keyBefore && !isEndorsed) problems.push(`Key ${key.id} is not signed by key ${keyBefore.id} before it`)
    if (keyBefore && isEndorsed && trustedIds.has(keyBefore.id)) trustedIds.add(key.id)
    keys.set(key.id, key)
    order.push(key.id)
    keyBefore = key
  }

  const seals = new Map<number, Seal>()
  const entries = list(proof['seals']).map(record)
  const newest = entries.map(({ seal }) => sealIn(seal)).at(-1)
  let before: Seal | undefined
  for (const { seal: sealEntry, path, consistency } of entries) {
    const seal = sealIn(sealEntry)
    const wrong = (says: string) => problems.push(`Seal ${seal.number} ${says}`)
    seals.set(seal.number, seal)
    const key = keys.get(seal.keyId)
    if (trusted.length > 0 && !trustedIds.has(seal.keyId) && !(newest && trustedIds.has(newest.keyId)))
      wrong(`is signed with key ${seal.keyId}, which is not the one you trust`)
    if (!key) wrong(`is signed with key ${seal.keyId}, which is not in the export`)
    else if (!(await isSigned(signedText(seal), seal.signature, key))) wrong('has a signature that is not from its key')
    if (before && order.indexOf(seal.keyId) < order.indexOf(before.keyId))
      wrong(`is signed with key ${seal.keyId}, which key ${before.keyId} had replaced by then`)
    const root = await rootByInclusion(await leafHash(sealText(seal)), seal.number - 1, newest?.number ?? 0, texts(path)).catch(() => undefined)
    if (!newest || root !== newest.history) wrong('is not in the history of the newest seal')
    if (before) {
      const [first, second] = [
        { size: before.number, root: before.history },
        { size: seal.number, root: seal.history },
      ]
      if (!(await isConsistent(first, second, texts(consistency)).catch(() => false))) wrong(`does not continue the history up to seal ${before.number}`)
    }
    before = seal
  }

  const nextRevision = new Map<string, number>()
  for (const entry of list(proof['facts']).map(record)) {
    const [position, stream, type] = [text(entry['position']), text(entry['stream']), text(entry['type'])]
    const [revision, at] = [number(entry['revision']), number(entry['at'])]
    const wrong = (says: string) => problems.push(`Event ${position} (${type}) ${says}`)
    const problemsBefore = problems.length
    const { data, metadata } = entry
    const dataHash = typeof data === 'string' ? await textHash(data) : text(entry['dataHash'])
    const metadataHash = typeof metadata === 'string' ? await textHash(metadata) : text(entry['metadataHash'])
    const leaf = await leafHash(leafText({ position, stream, revision, id: text(entry['id']), type, at, dataHash, metadataHash }))
    const seal = typeof entry['seal'] === 'number' ? seals.get(entry['seal']) : undefined
    if (typeof entry['seal'] === 'number' && !seal) wrong(`names seal ${entry['seal']}, which is not in the export`)
    if (seal) {
      const root = await rootByInclusion(leaf, number(entry['index']), seal.count, texts(entry['path'])).catch(() => undefined)
      if (root !== seal.root) wrong(`is not what was sealed under seal ${seal.number}`)
      if (Number(position) < Number(seal.first) || Number(position) > Number(seal.last)) wrong(`is outside the range of seal ${seal.number}`)
    }
    // The person's own two streams must be complete.
    if (stream === `user-${text(content['userId'])}` || stream === `account-${text(content['userId'])}`) {
      const expected = nextRevision.get(stream) ?? 0
      if (revision !== expected) wrong(revision > expected ? `comes after a gap: ${stream}#${expected} is missing` : 'comes twice or in the wrong order')
      nextRevision.set(stream, revision + 1)
    }
    events.push({ position, type, at, seal: seal?.number ?? null, isProven: seal !== undefined && problems.length === problemsBefore, recorded: text(data) })
  }

  const byPosition = new Map(events.map((event) => [event.position, event]))
  const plain = ['account.status', 'account.balance', 'account.profitLoss', 'account.phase']
  for (const entry of list(content['facts']).map(record)) {
    const event = byPosition.get(String(entry['number']))
    const wrong = (says: string) => problems.push(`Event ${String(entry['number'])} (${text(entry['type'])}) ${says}`)
    if (!event) wrong('is shown, but there is no proof of it')
    else if (event.type !== entry['type'] || new Date(event.at).toISOString() !== entry['at']) wrong('is not shown as it was recorded')
    // Withheld data can't be compared.
    else if (event.recorded !== '') {
      let parsed: unknown
      try {
        parsed = JSON.parse(event.recorded)
      } catch {
        parsed = undefined
      }
      const { from, to, reason, notes, why, evidence, corrects } = record(parsed)
      const differs = (field: string) => wrong(`is not shown as it was recorded: ${field}`)
      for (const change of list(entry['changes']).map(record))
        if (plain.includes(text(change['field'])) && (from !== change['from'] || to !== change['to'])) differs(text(change['field']))
      if (text(entry['reason']) !== (text(reason) || text(notes) || text(why))) differs('reason')
      const [recorded, shown] = [record(evidence), record(entry['evidence'])]
      const isSame = ['rule', 'limit', 'value'].every((field) => recorded[field] === shown[field])
      if (!isSame || (evidence && recorded['occurredAt'] !== Date.parse(text(shown['occurredAt'])))) differs('evidence')
      if (record(corrects)['number'] !== entry['corrects']) differs('corrects')
    }
  }
  if (list(content['facts']).length !== events.length) problems.push('Not every event of the proof is shown')
  return { problems, facts: events, keyIds: [...new Set([...seals.values()].map(({ keyId }) => keyId))], sealedAt: newest?.sealedAt ?? null }
}
