import { z } from 'zod'
import { AmbiguousJson, parseStrictly } from './canonical-json.ts'
import { accountExport, entryText, EXPORT_FORMAT } from './export-format.ts'
import { formatReceipt, RECEIPT } from './event-receipt.ts'
import { leafOf } from './merkle-tree.ts'
import { fromBase64, ownNote, parseCheckpoint, type TreeCheckpoint } from './tree-checkpoint.ts'
import { completeNode, inclusionPath, subtreesByInclusion } from './tree-proofs.ts'
import { type HashedSubtree, isSameHash, type Subtree, subtreesByMultiProof } from './tree-verification.ts'
import { logKey, isSignedByLog } from './witness-cosignature.ts'

/**
 * Proofs that a log was forked: two checkpoints of one log, signed with one key, that no single history can have. A
 * tree of one size has one root. In trees of two sizes, each complete subtree that both contain has one hash: two
 * inclusion proofs (C2SP tlog-proof) under the two checkpoints that say otherwise contradict each other.
 */

const FORK_FORMAT = 'proofdesk fork 1'

const forkFile = z.strictObject({
  format: z.literal(FORK_FORMAT),
  /** The key that signed both checkpoints, raw, base64. */
  publicKey: z.string().regex(/^[A-Za-z0-9+/]{43}=$/),
  /** Each is a tlog-proof or a checkpoint. */
  first: z.string().min(1),
  second: z.string().min(1),
})

/** A fork, proven. */
export interface ProvenFork {
  /** The log. */
  readonly origin: string
  /** The key that signed both, raw, base64. */
  readonly publicKey: string
  readonly sizes: readonly [number, number]
  /**
   * The first leaves that cannot be the same: from `low` up to, not including, `high`. All of the tree, for one size.
   */
  readonly low: number
  readonly high: number
  /** The entries at that one leaf, as leafText writes them, if both are known and it is one leaf. */
  readonly entries: readonly [string, string] | undefined
}

/** Two files prove no fork, or a file is none of ours. One sentence. */
export class NoFork extends Error {
  override readonly name = 'NoFork'
}

/** What one file shows of a log. */
interface Sighting {
  readonly checkpoint: TreeCheckpoint
  /** As the log signed it. */
  readonly note: string
  /** Raw public keys, base64, that the file says are the log's. */
  readonly keys: readonly string[]
  /** The hashes of the subtrees that its proofs show, by their range. */
  readonly nodes: ReadonlyMap<string, ShownNode>
  /** Whether it is only a checkpoint. */
  readonly isBare: boolean
}

interface ShownNode extends HashedSubtree {
  /** The tlog-proof that shows it; for the whole tree of a checkpoint, the note. */
  readonly proof: () => string
}

/**
 * Proves a fork from two files: exports, receipts or checkpoints.
 *
 * @param keys Raw public keys of the log, base64, beside those that exports name.
 * @returns The text of a file that {@link checkFork} accepts.
 * @throws {NoFork} with the reason.
 */
export async function proveFork(one: string, other: string, keys: readonly string[] = []): Promise<string> {
  const [a, b] = [await sightingIn(one), await sightingIn(other)]
  if (a.checkpoint.origin !== b.checkpoint.origin)
    throw new NoFork(`They are of two logs: ${a.checkpoint.origin} and ${b.checkpoint.origin}`)
  const known = [...new Set([...keys, ...a.keys, ...b.keys])]
  if (known.length === 0) throw new NoFork('Neither of them names the key of the log: name it with --log')
  const publicKey = known.find((key) => isSignedWith(a.checkpoint, key) && isSignedWith(b.checkpoint, key))
  if (publicKey === undefined) throw new NoFork('They are not signed with the same key')
  const [first, second] = contradiction(a, b)
  const text = `${JSON.stringify({ format: FORK_FORMAT, publicKey, first, second }, null, 2)}\n`
  await checkFork(text)
  return text
}

/**
 * Checks a file that proves a fork. It is on its own: it needs neither the log nor the files it was made of.
 *
 * @throws {NoFork}
 */
export async function checkFork(text: string): Promise<ProvenFork> {
  const { data } = forkFile.safeParse(jsonOf(text))
  if (!data) throw new NoFork('This is not a file that proves a fork')
  const [a, b] = [await sightingIn(data.first), await sightingIn(data.second)]
  const { origin, size } = a.checkpoint
  if (origin !== b.checkpoint.origin) throw new NoFork('The two checkpoints are of two logs')
  for (const { checkpoint } of [a, b])
    if (!isSignedWith(checkpoint, data.publicKey)) throw new NoFork('The key did not sign both checkpoints')
  const fork = { origin, publicKey: data.publicKey, sizes: [size, b.checkpoint.size] as const }
  if (size === b.checkpoint.size && !isSameHash(a.checkpoint.root, b.checkpoint.root))
    return { ...fork, low: 0, high: size, entries: undefined }
  const [node] = contradictions(a, b)
  if (!node) throw new NoFork('The two checkpoints do not contradict each other, as far as this file shows')
  const entries = node.high - node.low === 1 ? entriesOf(data.first, data.second, node.low) : undefined
  return { ...fork, low: node.low, high: node.high, entries }
}

/** Two texts that contradict each other. @throws {NoFork} */
function contradiction(a: Sighting, b: Sighting): readonly [string, string] {
  if (a.checkpoint.size === b.checkpoint.size) {
    if (isSameHash(a.checkpoint.root, b.checkpoint.root))
      throw new NoFork('They are of one history: both have the same tree')
    return [a.note, b.note]
  }
  const [node] = contradictions(a, b)
  if (node) return [node.first.proof(), node.second.proof()]
  throw new NoFork(
    a.isBare || b.isBare
      ? 'Two checkpoints of different sizes show no fork on their own: give exports or receipts under them'
      : 'They do not contradict each other, as far as they show',
  )
}

/**
 * The complete subtrees, which never change while the tree grows, that both show with different hashes; smallest, then
 * leftmost first.
 */
function contradictions(a: Sighting, b: Sighting) {
  const found = []
  for (const [range, first] of a.nodes) {
    const second = b.nodes.get(range)
    if (second && completeNode(first) && !isSameHash(first.hash, second.hash))
      found.push({ low: first.low, high: first.high, first, second })
  }
  return found.toSorted((one, other) => one.high - one.low - (other.high - other.low) || one.low - other.low)
}

function isSignedWith(checkpoint: TreeCheckpoint, publicKey: string): boolean {
  try {
    return isSignedByLog(checkpoint, logKey(checkpoint.origin, publicKey))
  } catch {
    return false
  }
}

function jsonOf(text: string): unknown {
  try {
    return parseStrictly(text)
  } catch (error) {
    if (error instanceof AmbiguousJson)
      throw new NoFork('A file says something twice, or another program has written it again')
    return undefined
  }
}

/** @throws {NoFork} for a file that shows nothing of a log. */
async function sightingIn(text: string): Promise<Sighting> {
  try {
    if (text.startsWith('{')) return await sightingInExport(text)
    return await (text.startsWith(`${RECEIPT}\n`) ? sightingInReceipt(text) : sightingOf(text))
  } catch (error) {
    if (error instanceof NoFork) throw error
    throw new NoFork('One of the files is not an export, a receipt or a checkpoint')
  }
}

/** A checkpoint shows only the tree as a whole. @throws {Error} when it is none. */
function sightingOf(text: string): Sighting {
  const [checkpoint, note] = [parseCheckpoint(text), ownNote(text)]
  const { size, root } = checkpoint
  const nodes = byRange(size > 0 ? [{ low: 0, high: size, hash: root, proof: () => note }] : [])
  return { checkpoint, note, keys: [], nodes, isBare: true }
}

function byRange<Node extends Subtree>(nodes: readonly Node[]): ReadonlyMap<string, Node> {
  return new Map(nodes.map((node) => [`${node.low}-${node.high}`, node]))
}

const RECEIPT_FORM =
  /^c2sp\.org\/tlog-proof@v1\n(?:extra ([A-Za-z0-9+/]+={0,2})\n)?index (0|[1-9]\d{0,15})\n((?:[A-Za-z0-9+/]{43}=\n){0,63})\n([^]+)$/

async function sightingInReceipt(text: string): Promise<Sighting> {
  const [, extra, index = '', lines = '', note = ''] = RECEIPT_FORM.exec(text) ?? []
  const sighting = sightingOf(note)
  if (extra === undefined) throw new NoFork('The receipt has no entry')
  const { size, root } = sighting.checkpoint
  const leaf = { index: Number(index), hash: leafOf(entryIn(extra)) }
  const path = lines.split('\n').slice(0, -1).map(fromBase64)
  const subtrees = checkedSubtrees(
    await subtreesByInclusion(leaf, size, path),
    root,
    'The receipt is not under its checkpoint',
  )
  return { ...sighting, nodes: byRange(subtrees.map((node) => ({ ...node, proof: () => text }))), isBare: false }
}

/** The subtrees that a proof shows, if the last is the tree with this root. @throws {NoFork} */
function checkedSubtrees(
  subtrees: readonly HashedSubtree[] | undefined,
  root: Uint8Array,
  says: string,
): readonly HashedSubtree[] {
  const whole = subtrees?.at(-1)
  if (!subtrees || !whole || !isSameHash(whole.hash, root)) throw new NoFork(says)
  return subtrees
}

async function sightingInExport(text: string): Promise<Sighting> {
  const { data } = accountExport.safeParse(jsonOf(text))
  if (!data || data.checkpoint === null)
    throw new NoFork(`One of the files is not a ${EXPORT_FORMAT} with a checkpoint`)
  const sighting = sightingOf(data.checkpoint)
  const { size, root } = sighting.checkpoint
  const leaves: { readonly index: number; readonly entry: string; readonly hash: Buffer }[] = []
  for (const event of data.events) {
    if (event.index === null) continue
    const entry = await entryText(event)
    leaves.push({ index: event.index, entry, hash: leafOf(entry) })
  }
  const proof = data.inclusion.map((hash) => Buffer.from(hash, 'base64'))
  const subtrees = checkedSubtrees(
    await subtreesByMultiProof(leaves, size, proof),
    root,
    'The entries of the export are not under its checkpoint',
  )

  /** A receipt of a leaf in whose inclusion proof the node is: of one under it, or under its sibling. */
  const receiptWith = (node: Subtree): string => {
    const isSiblingOf = (index: number) =>
      inclusionPath(index, size).some(({ low, high }) => low === node.low && high === node.high)
    const leaf =
      leaves.find(({ index }) => index >= node.low && index < node.high) ??
      leaves.find(({ index }) => isSiblingOf(index))
    if (!leaf) throw new NoFork('The export has no entry that shows it')
    const path = inclusionPath(leaf.index, size).flatMap(({ low, high }) => nodes.get(`${low}-${high}`)?.hash ?? [])
    return formatReceipt(leaf.entry, leaf.index, path, sighting.note)
  }
  const nodes = byRange(subtrees.map((node) => ({ ...node, proof: () => receiptWith(node) })))
  return { ...sighting, keys: data.keys.map(({ publicKey }) => publicKey), nodes, isBare: false }
}

function entryIn(extra: string): string {
  return Buffer.from(extra, 'base64').toString()
}

/** The entries of two receipts of one leaf. */
function entriesOf(first: string, second: string, leaf: number): readonly [string, string] | undefined {
  const entries = [first, second].map((text) => {
    const [, extra, index] = RECEIPT_FORM.exec(text) ?? []
    return extra !== undefined && Number(index) === leaf ? entryIn(extra) : undefined
  })
  const [one, other] = entries
  return one === undefined || other === undefined ? undefined : [one, other]
}
