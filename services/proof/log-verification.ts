import { z } from 'zod'
import type { EventStore, StoredEvent } from '#infra/event-store/event-store.ts'
import { sealEvents, type TreeCheckpointData, seals as sealStreams } from './seal.ts'
import { type CheckedEvent, forgeryOf } from '#services/event-sourcing/codec/event-authentication.ts'
import { readLog } from '#services/event-sourcing/read-log.ts'
import { eventHash } from '#services/event-sourcing/codec/hash-chain.ts'
import { streamName } from '#services/event-sourcing/aggregate-type.ts'
import { endorsementText, isSigned, type PublicKey } from './signed-texts.ts'
import { leafOfEvent } from './stored-event-bytes.ts'
import { GrowingMerkleTree } from './merkle-tree.ts'
import type { PublishedLeaf, PublishedTree } from './published-tree.ts'
import { SEALS_ID } from './seal-stream.ts'
import { isCheckpointSigned, parseCheckpoint } from './tree-checkpoint.ts'

/** The first thing wrong with a log. */
export interface Finding {
  readonly kind: 'altered' | 'missing' | 'added' | 'reordered' | 'seal'
  /** The position in the log, if it can be named. */
  readonly number: string | null
  /** A message for people: which event, and how that is known. */
  readonly says: string
}

export interface LogVerification {
  readonly facts: number
  /** Tree checkpoints. */
  readonly seals: number
  /** Events not sealed yet, for which only the hash chains of their streams could be checked. */
  readonly unsealed: number
  /** The position of the last sealed event. */
  readonly sealedUpTo: string | null
  readonly finding: Finding | null
}

export interface VerifyDependencies {
  readonly eventStore: Pick<EventStore, 'subscribe' | 'readStream' | 'end'>
  readonly publishedTree: Pick<PublishedTree, 'checkpoint' | 'checkpointOf' | 'leaves'>
  /** The keys that seals may be signed with, oldest first: from the key store, not from the log. */
  readonly keys: readonly PublicKey[]
  /** Called from time to time with the number of events checked. */
  readonly onProgress?: (events: number) => void
  /** Called with each event, in order, authentic or not. */
  readonly onEvent?: (event: CheckedEvent) => void
}

/** Stops the verification with the first finding. */
class FindingError extends Error {
  constructor(readonly finding: Finding) {
    super(finding.says)
  }
}

function finding(kind: Finding['kind'], number: string | null, says: string): Finding {
  return { kind, number, says }
}

/** Reads what may be damaged. @throws {FindingError} in place of any other error. */
function readOr<Read>(unreadable: Finding, read: () => Read): Read {
  try {
    return read()
  } catch {
    throw new FindingError(unreadable)
  }
}

/**
 * Checks the whole log in one pass: every event against its MAC and the hash chain of its stream, all events against
 * the tree checkpoints, and those in the log against the published ones. It stops at the first finding, but goes on
 * past events that the portal did not append: they change nothing.
 */
export async function verifyLog(dependencies: VerifyDependencies): Promise<LogVerification> {
  const { eventStore, publishedTree, keys } = dependencies
  const count = { facts: 0, sealed: 0 }
  let ranges: readonly SealedRange[] = []
  const result = (found: Finding | null): LogVerification => ({
    facts: count.facts,
    seals: ranges.length,
    unsealed: count.facts - count.sealed,
    sealedUpTo: ranges.findLast(({ last }) => last !== null)?.last ?? null,
    finding: found,
  })
  try {
    // In this order: a checkpoint is recorded before it is published, so the log has what is published by now.
    const published = await publishedTree.checkpoint()
    const recorded = await readSealStream(eventStore)
    const checkpoints = await checkCheckpoints(recorded, published, publishedTree, keys)
    await checkKeys(recorded.introduced, keys)
    ranges = checkpoints.ranges
    await checkEvents(dependencies, new RangeSequence(ranges), count)
    // Reported last: a missing event is more specific than a missing checkpoint.
    if (checkpoints.missing !== null)
      throw new FindingError(
        finding('missing', null, `${checkpoints.missing} is published, but its event is missing in the log`),
      )
    return result(null)
  } catch (error) {
    if (error instanceof FindingError) return result(error.finding)
    throw error
  }
}

type SealStream = Awaited<ReturnType<typeof readSealStream>>

/** What the log itself says of seals and keys. */
async function readSealStream(eventStore: VerifyDependencies['eventStore']) {
  const checkpoints: TreeCheckpointData[] = []
  const introduced: IntroducedKey[] = []
  /** The key that was the newest when each checkpoint was recorded, by its number. */
  const currentAt = new Map<number, string | undefined>()
  for await (const page of eventStore.readStream(streamName(sealStreams, SEALS_ID)))
    for (const event of page) {
      if (event.type === 'SealingKeyIntroduced')
        introduced.push({ position: event.position, ...readSealEvent(introduction, event, 'introduces a key and') })
      if (event.type !== 'TreeCheckpointSigned') continue
      checkpoints.push(readSealEvent(sealEvents.TreeCheckpointSigned.schema, event, 'holds a seal that'))
      currentAt.set(checkpoints.length, introduced.at(-1)?.keyId)
    }
  return { checkpoints, introduced, currentAt }
}

const introduction = z.object({ keyId: z.string(), endorsement: z.string().nullable() })
type IntroducedKey = z.infer<typeof introduction> & Pick<StoredEvent, 'position'>

function readSealEvent<Data>(schema: z.ZodType<Data>, { data, position }: StoredEvent, what: string): Data {
  return readOr(finding('altered', position, `Event ${position} ${what} can't be read`), () =>
    schema.parse(JSON.parse(data)),
  )
}

/**
 * Checkpoints must be numbered, each over more events, published as recorded, and signed with the key of their time.
 */
async function checkCheckpoints(
  { checkpoints, currentAt }: SealStream,
  published: string | undefined,
  publishedTree: VerifyDependencies['publishedTree'],
  keys: readonly PublicKey[],
): Promise<{ readonly ranges: SealedRange[]; readonly missing: string | null }> {
  const wrong = (number: string | null, says: string) => new FindingError(finding('seal', number, says))
  const ranges: SealedRange[] = []
  for (const [index, { number, size, last, keyId, note }] of checkpoints.entries()) {
    const expected = index + 1
    if (number !== expected)
      throw wrong(last, `Checkpoint ${expected} is missing or was replaced: checkpoint ${number} is in its place`)
    const name = `Checkpoint ${number}`
    const copy = await publishedTree.checkpointOf(size)
    if (copy !== undefined && copy !== note)
      throw wrong(last, `${name} in the log is not the published checkpoint of ${size} events`)
    const checkpoint = readNote(note, `${name} can't be read`)
    if (checkpoint.size !== size)
      throw wrong(last, `${name} is over ${checkpoint.size} events, but recorded for ${size}`)
    const { publicKey } = signingKeyOf(keyId, keys, currentAt.get(number), (says) => wrong(last, `${name} ${says}`))
    if (!(await isCheckpointSigned(checkpoint, publicKey)))
      throw wrong(last, `${name} has a signature that is not of key ${keyId}`)
    const before = ranges.at(-1)
    if (before && !(size > before.high && Number(last) > Number(before.last)))
      throw wrong(last, `${name} does not continue the one before it`)
    ranges.push(
      rangeOfCheckpoint({ name: `checkpoint ${number}`, size, last, root: checkpoint.root }, before, publishedTree),
    )
  }
  // The newest is published last of all: an older one there was put in its place.
  const newest = checkpoints.at(-1)
  if (published === undefined || published === newest?.note) return { ranges, missing: null }
  const { size, root, ...note } = readNote(published, "The published checkpoint can't be read")
  if (newest && size <= newest.size) {
    const isRecorded = checkpoints.some((checkpoint) => checkpoint.note === published)
    if (!isRecorded) throw wrong(null, `The published checkpoint of ${size} events is not in the log`)
    // Another may have been published meanwhile.
    if (
      (await publishedTree.checkpointOf(newest.size)) !== undefined &&
      (await publishedTree.checkpoint()) === published
    )
      throw wrong(
        null,
        `The published checkpoint of ${size} events is not the newest: one of ${newest.size} was published`,
      )
    return { ranges, missing: null }
  }
  // The log may have been truncated: its last checkpoint is still published.
  const signatures = await Promise.all(
    keys.map(({ publicKey }) => isCheckpointSigned({ size, root, ...note }, publicKey)),
  )
  if (!signatures.includes(true))
    throw wrong(null, `The published checkpoint of ${size} events is not signed with a key of this installation`)
  ranges.push(
    rangeOfCheckpoint(
      { name: `the checkpoint of ${size} events`, size, last: null, root },
      ranges.at(-1),
      publishedTree,
    ),
  )
  return { ranges, missing: `The checkpoint of ${size} events` }
}

function readNote(note: string, says: string) {
  return readOr(finding('seal', null, says), () => parseCheckpoint(note))
}

/** The key of a checkpoint, which must be this installation's, and the current one at that time. */
function signingKeyOf(
  keyId: string,
  keys: readonly PublicKey[],
  current: string | undefined,
  wrong: (says: string) => FindingError,
): PublicKey {
  const key = keys.find(({ id }) => id === keyId)
  if (!key) throw wrong(`is signed with a key that is not this installation's: ${keyId}`)
  if (keyId !== current)
    throw wrong(`is signed with key ${keyId}, which was not the current one then: that was ${current}`)
  return key
}

/** Each key is this installation's and signed by its predecessor. */
async function checkKeys(introduced: readonly IntroducedKey[], keys: readonly PublicKey[]): Promise<void> {
  for (const [index, { position, keyId, endorsement }] of introduced.entries()) {
    const [before, key] = [keys[index - 1], keys[index]]
    const wrong = (says: string) =>
      new FindingError(finding('seal', position, `Event ${position} introduces key ${keyId}, ${says}`))
    if (key?.id !== keyId) throw wrong("which is not this installation's next key")
    if (before && !(await isSigned(endorsementText(before.id, key), endorsement ?? '', before)))
      throw wrong(`but key ${before.id} before it has not signed that`)
  }
}

/** What a checkpoint says of the part of the log after the one before it. */
interface SealedRange {
  /** In messages: 'checkpoint 3'. */
  readonly name: string
  /** The position before its first event. */
  readonly before: number
  /** The position of its last event; null when only the published checkpoint is known. */
  readonly last: string | null
  /** The range is from one leaf of the tree up to, not including, another. */
  readonly low: number
  readonly high: number
  /** Of the tree of `high` leaves, hex. */
  readonly root: string
  /** The published leaves of the range, in pieces; they may be missing, or others. */
  leaves(): AsyncIterable<readonly PublishedLeaf[]>
}

function rangeOfCheckpoint(
  {
    name,
    size,
    last,
    root,
  }: { readonly name: string; readonly size: number; readonly last: string | null; readonly root: Uint8Array },
  before: SealedRange | undefined,
  publishedTree: VerifyDependencies['publishedTree'],
): SealedRange {
  const low = before?.high ?? 0
  return {
    name,
    before: Number(before?.last ?? 0),
    last,
    low,
    high: size,
    root: Buffer.from(root).toString('hex'),
    leaves: () => publishedTree.leaves(low, size),
  }
}

/** Leaves that are kept to explain a difference. */
const MAX_EXPLAINED = 65_536

/**
 * Where a range first differs from its published leaves. It is reported after the range, when the kind of change is
 * known.
 */
interface Difference {
  /** Undefined where the log ends. */
  readonly event: StoredEvent | undefined
  /** Of the published leaves, up to the whole range. */
  readonly tree: GrowingMerkleTree
  /** The published leaves from the difference on. */
  readonly leaves: PublishedLeaf[]
  /** The ids of the events read from the difference on. */
  readonly ids: string[]
}

/** Compares the log with ranges that follow each other. */
class RangeSequence {
  private next = 0
  private readonly tree = new GrowingMerkleTree()
  private published: AsyncIterator<readonly PublishedLeaf[]> | undefined
  private piece: readonly PublishedLeaf[] = []
  private inPiece = 0
  private difference: Difference | undefined
  /** Whether positions have had no gaps in this range. */
  private isContiguous = true

  constructor(private readonly ranges: readonly SealedRange[]) {
    this.open()
  }

  get range(): SealedRange | undefined {
    return this.ranges[this.next]
  }

  /** Whether a position is after the range at hand. */
  isPast(position: number): boolean {
    const { range } = this
    return range !== undefined && (range.last === null ? this.tree.size >= range.high : position > Number(range.last))
  }

  /**
   * Adds the next event. Returns whether it is compared with a published leaf, which covers the whole event, its link
   * in the chain too.
   */
  async add(event: StoredEvent, leaf: Buffer): Promise<boolean> {
    const { range, difference } = this
    if (!range) return false
    const index = this.tree.size - range.low
    this.isContiguous &&= Number(event.position) === range.before + 1 + index
    if (difference) {
      if (difference.ids.length < MAX_EXPLAINED) difference.ids.push(event.id)
    } else {
      const expected = await this.nextLeaf()
      if (this.published && !(expected && leaf.equals(expected.hash))) {
        this.difference = { event, tree: new GrowingMerkleTree(this.tree), leaves: [], ids: [event.id] }
        if (expected) addPublished(this.difference, expected)
      }
    }
    this.tree.append(leaf)
    return this.published !== undefined
  }

  /** Whether the next published leaf is of the event with this id. */
  async expects(id: string): Promise<boolean> {
    const leaf = this.range && !this.difference ? await this.nextLeaf() : undefined
    if (leaf) this.inPiece -= 1
    return leaf?.id === id
  }

  /** Ends the range at hand. @throws {FindingError} when its events are not those that were sealed. */
  async close(): Promise<void> {
    const { range, tree } = this
    if (!range) return
    if (tree.size !== range.high || tree.root().toString('hex') !== range.root) {
      const difference = this.difference ?? { event: undefined, tree: new GrowingMerkleTree(tree), leaves: [], ids: [] }
      for (let leaf = await this.nextLeaf(); leaf; leaf = await this.nextLeaf()) addPublished(difference, leaf)
      const isAuthentic = difference.tree.size === range.high && difference.tree.root().toString('hex') === range.root
      throw new FindingError(
        isAuthentic ? this.explain(range, difference) : findingWithoutLeaves(range, tree.size - range.low),
      )
    }
    this.next += 1
    this.open()
  }

  private open(): void {
    const { range } = this
    this.difference = undefined
    this.isContiguous = true
    this.piece = []
    this.inPiece = 0
    this.published = range?.leaves()[Symbol.asyncIterator]()
  }

  /** The next published leaf; none at the end of the range, and none any more where files are missing. */
  private async nextLeaf(): Promise<PublishedLeaf | undefined> {
    while (this.published && this.inPiece === this.piece.length) {
      const { done, value } = await this.published.next()
      if (done) {
        // Leaves that end early say nothing of what follows.
        const { range, tree, difference } = this
        if (range && (difference?.tree ?? tree).size < range.high) this.published = undefined
        return undefined
      }
      this.piece = value
      this.inPiece = 0
    }
    return this.piece[this.inPiece++]
  }

  /** Explains a difference by comparing the published ids with those in the log. */
  private explain(range: SealedRange, { event, leaves, ids, tree }: Difference): Finding {
    const under = `under ${range.name}`
    const [first] = leaves
    const expected = first?.id
    const index = tree.size - leaves.length - range.low
    const hasNoGaps =
      range.last === null ? this.isContiguous : Number(range.last) - range.before === range.high - range.low
    const missingPosition = hasNoGaps ? String(range.before + 1 + index) : null
    if (!event)
      return finding(
        'missing',
        missingPosition,
        `Event ${expected} is missing, and ${leaves.length - 1} after it ${under}: the log ends before it`,
      )
    const name = nameOf(event)
    if (expected === event.id)
      return finding('altered', event.position, `${name} was altered: its bytes are not those sealed ${under}`)
    const isPresent = expected !== undefined && ids.includes(expected)
    const isKnown = leaves.some(({ id }) => id === event.id)
    if (isPresent && isKnown)
      return finding(
        'reordered',
        event.position,
        `${name} is where event ${expected} was sealed ${under}: they were reordered`,
      )
    if (isKnown)
      return finding('missing', missingPosition, `Event ${expected} is missing: ${name} is in its place ${under}`)
    return finding('added', event.position, `${name} was added: it is not among the events sealed ${under}`)
  }
}

const nameOf = ({ position, type, stream, revision }: StoredEvent) =>
  `Event ${position} (${type}, ${stream}#${revision})`

function addPublished({ tree, leaves }: Difference, leaf: PublishedLeaf): void {
  tree.append(leaf.hash)
  if (leaves.length < MAX_EXPLAINED) leaves.push(leaf)
}

/** Without published leaves, only the range can be named. */
function findingWithoutLeaves({ name, before, last, low, high }: SealedRange, found: number): Finding {
  const first = String(before + 1)
  const between = `between ${first} and ${last ?? 'the end'}, under ${name}`
  const missing = high - low - found
  if (missing > 0) return finding('missing', first, `${missing} events are missing ${between}`)
  if (missing < 0) return finding('added', first, `${-missing} events were added ${between}`)
  return finding(
    'altered',
    first,
    `An event was altered or reordered ${between}; only the published leaves can show which one`,
  )
}

async function checkEvents(
  { eventStore, onProgress, onEvent }: Pick<VerifyDependencies, 'eventStore' | 'onProgress' | 'onEvent'>,
  sequence: RangeSequence,
  count: { facts: number; sealed: number },
): Promise<void> {
  const end = Number(await eventStore.end())
  let chains = new Chains(eventStore)
  let forged: Finding | undefined

  const close = async (): Promise<void> => {
    await sequence.close()
    count.sealed = count.facts
    // Memory is bounded by one range.
    chains = new Chains(eventStore)
  }

  for await (const { events, position } of readLog(eventStore)) {
    for (const event of events) {
      if (Number(event.position) > end) break
      while (sequence.isPast(Number(event.position))) await close()
      count.facts += 1
      onEvent?.(event)
      const forgery = forgeryIn(event)
      forged ??= forgery
      // It is no leaf, unless it was one before it was altered.
      if (forgery && !(await sequence.expects(event.id))) {
        // The next event of its stream shows which of the two was altered.
        await chains.follow(event)
        continue
      }
      const broken = (await sequence.add(event, leafOfEvent(event))) ? undefined : await chains.follow(event)
      if (broken) throw new FindingError(broken)
    }
    onProgress?.(count.facts)
    if (Number(position) >= end) break
  }
  while (sequence.range) await close()
  // Reported last: a finding about what was sealed is more specific.
  if (forged) throw new FindingError(forged)
}

function forgeryIn(event: CheckedEvent): Finding | undefined {
  const { position, forgery } = event
  return forgery && finding(forgery, position, `${nameOf(event)} does not count: ${forgeryOf(event)}`)
}

/** The hash chains of streams. Heads of unseen streams are read from the store, so memory is bounded by one range. */
class Chains {
  private readonly heads = new Map<string, ChainHead>()

  constructor(private readonly eventStore: VerifyDependencies['eventStore']) {}

  /** Checks the next event of a stream, and returns what is wrong with it. */
  async follow(event: StoredEvent): Promise<Finding | undefined> {
    const { stream, revision, position, metadata } = event
    const head = this.heads.get(stream) ?? (revision > 0 ? await this.before(event) : undefined)
    const previous = previousIn(metadata)
    this.heads.set(stream, chainHeadOf(event))
    const name = nameOf(event)
    const expected = (head?.revision ?? -1) + 1
    if (revision > expected)
      return finding('missing', position, `${stream}#${expected} is missing before event ${position}`)
    if (revision < expected) return finding('reordered', position, `${name} comes after ${stream}#${head?.revision}`)
    if (previous === undefined) return finding('altered', position, `${name} was altered: its metadata can't be read`)
    if (previous === (head?.hash ?? null)) return undefined
    if (!head) return finding('altered', position, `${name} is the first of its stream but names a previous one`)
    const before = `Event ${head.position} (${stream}#${head.revision})`
    return finding(
      'altered',
      head.position,
      `${before} was altered or replaced: ${name}, the next of its stream, names a different one`,
    )
  }

  private async before({ stream, revision }: StoredEvent): Promise<ChainHead | undefined> {
    for await (const [event] of this.eventStore.readStream(stream, revision - 1, 1))
      return event && event.revision === revision - 1 ? chainHeadOf(event) : undefined
    return undefined
  }
}

type ChainHead = ReturnType<typeof chainHeadOf>

function chainHeadOf(event: StoredEvent) {
  return { revision: event.revision, hash: eventHash(event.stream, event.revision, event), position: event.position }
}

const previousHashPattern = /"previous":(?:null|"([0-9a-f]{64})")\}$/

/** The previous hash that an event names, null for none; undefined if it can't be read. */
function previousIn(metadata: string): string | null | undefined {
  const found = previousHashPattern.exec(metadata)
  return found ? (found[1] ?? null) : undefined
}
