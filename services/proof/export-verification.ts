/**
 * What a proof is made of, and the checks that anybody can make of it offline. These functions need nothing but
 * WebCrypto and each other, and nothing outside of them: verify.html is made of their very text (see page.ts), so what
 * a trader runs in a browser is what is tested here.
 *
 * Hashing is RFC 6962's: a leaf is SHA-256(0x00 || bytes), a node SHA-256(0x01 || left || right).
 */

/** A fact as its leaf says it. Hashes are SHA-256, hex, over the stored texts. */
export interface SealedEvent {
  readonly position: string
  readonly stream: string
  readonly revision: number
  readonly id: string
  readonly type: string
  /** Ms since 1970, as the fact's metadata says. */
  readonly at: number
  readonly dataHash: string
  readonly metadataHash: string
}

/** The signed word that these facts, in this order, were the log between two places. */
export interface Seal {
  readonly number: number
  readonly first: string
  readonly last: string
  readonly count: number
  /** Merkle root over the facts' leaves. */
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

/** The text of a fact's leaf. JSON of a list of numbers and texts is the same everywhere. */
export function leafText({ position, stream, revision, id, type, at, dataHash, metadataHash }: SealedEvent): string {
  return JSON.stringify([position, stream, revision, id, type, at, dataHash, metadataHash])
}

/** The text of a seal's leaf in the history of seals. */
export function sealText({ number, first, last, count, root, previous, sealedAt, keyId }: Omit<Seal, 'history' | 'signature'>): string {
  return JSON.stringify(['proofdesk seal 1', number, first, last, count, root, previous, sealedAt, keyId])
}

/** What a seal's signature is over, and the hash that the next seal names is of. */
export function signedText(seal: Omit<Seal, 'signature'>): string {
  return JSON.stringify([sealText(seal), seal.history])
}

/** What a sealing key signs to say that another follows it. */
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

/** A hash out of its hex. @throws {Error} for anything else. */
export function fromHex(hex: string): Uint8Array<ArrayBuffer> {
  if (!/^[0-9a-f]{64}$/.test(hex)) throw new Error('a hash is not written as one')
  return Uint8Array.from({ length: 32 }, (_, n) => Number.parseInt(hex.slice(n * 2, n * 2 + 2), 16))
}

/** The root that a leaf at this place of a tree of this size leads to (RFC 9162, 2.1.3.2); undefined for a path of the wrong length. */
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
  /** Empty where everything that is sealed is as it was sealed. */
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
  /** The number of the seal that the fact is under; null while none is over it. */
  readonly seal: number | null
  readonly isProven: boolean
  /** What was recorded, as it was recorded; empty where it is withheld. */
  readonly recorded: string
}

/**
 * Checks an export with nothing but itself: each fact against the root of its seal, each seal against its signature and the
 * history up to the newest, each stream for gaps, and what is told of a fact against what was recorded.
 *
 * @param trusted Ids of the keys that the reader trusts; without any, a key is believed as it stands in the export. Who
 * trusts a key trusts those that follow it with its word, and what the newest of them says of the seals before.
 */
export async function verifyExport(bundle: unknown, trusted: readonly string[] = []): Promise<ExportReport> {
  const record = (value: unknown): Record<string, unknown> => (typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {})
  const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
  const text = (value: unknown): string => (typeof value === 'string' ? value : '')
  const number = (value: unknown): number => (typeof value === 'number' ? value : -1)
  const texts = (value: unknown): readonly string[] => list(value).map(text)
  const sealIn = (value: unknown): Seal => {
    const { number: n, first, last, count, root, previous, sealedAt, keyId, history, signature } = record(value)
    const places = { number: number(n), first: text(first), last: text(last), count: number(count), root: text(root) }
    const chained = { previous: typeof previous === 'string' ? previous : null, sealedAt: number(sealedAt), keyId: text(keyId) }
    return { ...places, ...chained, history: text(history), signature: text(signature) }
  }

  const problems: string[] = []
  const facts: CheckedEvent[] = []
  const whole = record(bundle)
  const proof = record(whole['proof'])
  if (whole['format'] !== 'proofdesk export 1') return { problems: ['This file is no export of Proofdesk'], facts, keyIds: [], sealedAt: null }

  const keys = new Map<string, PublicKey>()
  const order: string[] = []
  const believed = new Set(trusted)
  let keyBefore: PublicKey | undefined
  for (const given of list(proof['keys']).map(record)) {
    const key = { id: text(given['id']), publicKey: text(given['publicKey']) }
    if ((await keyIdOf(key.publicKey).catch(() => '')) !== key.id) {
      problems.push(`Key ${key.id} is not the key that its id is of`)
      continue
    }
    const isEndorsed = keyBefore !== undefined && (await isSigned(endorsementText(keyBefore.id, key), text(given['endorsement']), keyBefore))
    if (keyBefore && !isEndorsed) problems.push(`Key ${key.id} follows key ${keyBefore.id} without its word`)
    if (keyBefore && isEndorsed && believed.has(keyBefore.id)) believed.add(key.id)
    keys.set(key.id, key)
    order.push(key.id)
    keyBefore = key
  }

  const seals = new Map<number, Seal>()
  const entries = list(proof['seals']).map(record)
  const newest = entries.map(({ seal }) => sealIn(seal)).at(-1)
  let before: Seal | undefined
  for (const { seal: given, path, consistency } of entries) {
    const seal = sealIn(given)
    const wrong = (says: string) => problems.push(`Seal ${seal.number} ${says}`)
    seals.set(seal.number, seal)
    const key = keys.get(seal.keyId)
    if (trusted.length > 0 && !believed.has(seal.keyId) && !(newest && believed.has(newest.keyId)))
      wrong(`is signed with key ${seal.keyId}, which is not the one you trust`)
    if (!key) wrong(`is signed with key ${seal.keyId}, which is not in the export`)
    else if (!(await isSigned(signedText(seal), seal.signature, key))) wrong('has a signature that is not of its key')
    if (before && order.indexOf(seal.keyId) < order.indexOf(before.keyId))
      wrong(`is signed with key ${seal.keyId}, which key ${before.keyId} had followed by then`)
    const root = await rootByInclusion(await leafHash(sealText(seal)), seal.number - 1, newest?.number ?? 0, texts(path)).catch(() => undefined)
    if (!newest || root !== newest.history) wrong('is not in the history of the newest seal')
    if (before) {
      const [first, second] = [
        { size: before.number, root: before.history },
        { size: seal.number, root: seal.history },
      ]
      if (!(await isConsistent(first, second, texts(consistency)).catch(() => false))) wrong(`does not go on with what was sealed up to seal ${before.number}`)
    }
    before = seal
  }

  const nextRevision = new Map<string, number>()
  for (const given of list(proof['facts']).map(record)) {
    const [position, stream, type] = [text(given['position']), text(given['stream']), text(given['type'])]
    const [revision, at] = [number(given['revision']), number(given['at'])]
    const wrong = (says: string) => problems.push(`Fact ${position} (${type}) ${says}`)
    const trouble = problems.length
    const { data, metadata } = given
    const dataHash = typeof data === 'string' ? await textHash(data) : text(given['dataHash'])
    const metadataHash = typeof metadata === 'string' ? await textHash(metadata) : text(given['metadataHash'])
    const leaf = await leafHash(leafText({ position, stream, revision, id: text(given['id']), type, at, dataHash, metadataHash }))
    const seal = typeof given['seal'] === 'number' ? seals.get(given['seal']) : undefined
    if (typeof given['seal'] === 'number' && !seal) wrong(`names seal ${given['seal']}, which is not in the export`)
    if (seal) {
      const root = await rootByInclusion(leaf, number(given['index']), seal.count, texts(given['path'])).catch(() => undefined)
      if (root !== seal.root) wrong(`is not what was sealed under seal ${seal.number}`)
      if (Number(position) < Number(seal.first) || Number(position) > Number(seal.last)) wrong(`is not where seal ${seal.number} is`)
    }
    // Of the person's own two streams every fact must be here.
    if (stream === `user-${text(whole['userId'])}` || stream === `account-${text(whole['userId'])}`) {
      const expected = nextRevision.get(stream) ?? 0
      if (revision !== expected) wrong(revision > expected ? `comes after a gap: ${stream}#${expected} is missing` : 'comes twice or in the wrong order')
      nextRevision.set(stream, revision + 1)
    }
    facts.push({ position, type, at, seal: seal?.number ?? null, isProven: seal !== undefined && problems.length === trouble, recorded: text(data) })
  }

  const byPosition = new Map(facts.map((fact) => [fact.position, fact]))
  const plain = ['account.status', 'account.balance', 'account.profitLoss', 'account.phase']
  for (const told of list(whole['facts']).map(record)) {
    const fact = byPosition.get(String(told['number']))
    const wrong = (says: string) => problems.push(`Fact ${String(told['number'])} (${text(told['type'])}) ${says}`)
    if (!fact) wrong('is told, but there is no proof of it')
    else if (fact.type !== told['type'] || new Date(fact.at).toISOString() !== told['at']) wrong('is told otherwise than it was recorded')
    // What is withheld can only be told.
    else if (fact.recorded !== '') {
      let parsed: unknown
      try {
        parsed = JSON.parse(fact.recorded)
      } catch {
        parsed = undefined
      }
      const { from, to, reason, notes, why, evidence, corrects } = record(parsed)
      const otherwise = (what: string) => wrong(`is told otherwise than it was recorded: ${what}`)
      for (const change of list(told['changes']).map(record))
        if (plain.includes(text(change['field'])) && (from !== change['from'] || to !== change['to'])) otherwise(text(change['field']))
      if (text(told['reason']) !== (text(reason) || text(notes) || text(why))) otherwise('reason')
      const [seen, toldOf] = [record(evidence), record(told['evidence'])]
      const isSame = ['rule', 'limit', 'value'].every((field) => seen[field] === toldOf[field])
      if (!isSame || (evidence && seen['occurredAt'] !== Date.parse(text(toldOf['occurredAt'])))) otherwise('evidence')
      if (record(corrects)['number'] !== told['corrects']) otherwise('corrects')
    }
  }
  if (list(whole['facts']).length !== facts.length) problems.push('Not every fact of the proof is told')
  return { problems, facts, keyIds: [...new Set([...seals.values()].map(({ keyId }) => keyId))], sealedAt: newest?.sealedAt ?? null }
}
