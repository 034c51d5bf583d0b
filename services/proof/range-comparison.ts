import { type EventBatch, type EventStore, type StoredEvent, toCheckpoint } from '#infra/event-store/event-store.ts'
import { isAuthentic } from '#services/event-sourcing/codec/event-authentication.ts'
import { readLog } from '#services/event-sourcing/read-log.ts'
import { type Finding, findingAt, findingOf, nameOfEvent } from './log-finding.ts'
import { GrowingMerkleTree, type StoredPeak } from './merkle-tree.ts'
import type { PublishedLeaf, PublishedTree } from './published-tree.ts'
import type { SealedRange } from './sealed-ranges.ts'
import { leafOfEvent } from './stored-event-bytes.ts'
import { StreamChains } from './stream-chains.ts'

/** Where a range begins. */
export interface RangeStart {
  /** The log is read from here, or a little before; null for its beginning. */
  readonly checkpoint: string | null
  /** The position of the last event before. */
  readonly position: string
  /** The tree over all events before. */
  readonly tree: readonly StoredPeak[]
}

export interface ComparisonDependencies {
  readonly eventStore: Pick<EventStore, 'subscribe' | 'readStream'>
  readonly publishedTree: Pick<PublishedTree, 'leaves'>
}

/** Leaves that are kept to explain a difference. */
const MAX_EXPLAINED = 65_536

/**
 * Finds out how a range whose root is not the sealed one differs from its published leaves. It reads the range again, and
 * yields after each batch; the finding last.
 *
 * @param from Where the range begins.
 * @param fallback What is wrong as far as the log alone shows it, for when the published leaves are missing.
 */
export async function* explainDifference(
  dependencies: ComparisonDependencies,
  {
    range,
    from,
    fallback,
  }: { readonly range: SealedRange; readonly from: RangeStart; readonly fallback: Finding | null },
): AsyncGenerator<Finding | undefined, undefined> {
  const comparison = new RangeComparison(range, dependencies, from)
  const after = from.checkpoint === null ? undefined : toCheckpoint(from.checkpoint)
  const eventsOf = (batch: EventBatch) =>
    batch.events.filter(({ position }) => Number(position) > Number(from.position))
  reading: for await (const batch of readLog(dependencies.eventStore, after)) {
    for (const event of eventsOf(batch)) {
      if (comparison.isPast(Number(event.position))) break reading
      // An event that is not authentic is no leaf, unless it was one before it was altered.
      if (isAuthentic(event) || (await comparison.expects(event.id))) await comparison.add(event, leafOfEvent(event))
    }
    yield
  }
  const explained = (await comparison.finding()) ?? fallback ?? comparison.findingWithoutLeaves()
  if (explained.kind === 'missing' && explained.stream === null) {
    // The gap does not say of which stream the event was, but the next event of that stream does.
    const chains = new StreamChains(dependencies.eventStore)
    for await (const batch of readLog(dependencies.eventStore, after)) {
      for (const event of eventsOf(batch)) {
        const gap = await chains.follow(event)
        if (gap?.kind !== 'missing') continue
        const { stream, revision } = gap
        return yield {
          ...explained,
          stream,
          revision,
          says: `${explained.says}. It was ${stream}#${revision}: ${gap.says}`,
        }
      }
      yield
    }
  }
  yield explained
}

/** Where a range first differs from its published leaves. */
interface Difference {
  /** Undefined where the log ends. */
  readonly event: StoredEvent | undefined
  /** The tree of the published leaves, up to the whole range. */
  readonly tree: GrowingMerkleTree
  /** The published leaves from the difference on. */
  readonly leaves: PublishedLeaf[]
  /** The ids of the events read from the difference on. */
  readonly ids: string[]
}

/** Compares the events of a range with its published leaves. */
class RangeComparison {
  private readonly tree: GrowingMerkleTree
  private published: AsyncIterator<readonly PublishedLeaf[]> | undefined
  private piece: readonly PublishedLeaf[] = []
  private inPiece = 0
  private difference: Difference | undefined
  /** Whether positions have had no gaps. */
  private isContiguous = true

  constructor(
    private readonly range: SealedRange,
    { publishedTree }: Pick<ComparisonDependencies, 'publishedTree'>,
    { tree }: RangeStart,
  ) {
    this.tree = GrowingMerkleTree.of(tree)
    this.published = publishedTree.leaves(range.low, range.high)[Symbol.asyncIterator]()
  }

  isPast(position: number): boolean {
    return isPastRange(this.range, position, this.tree.size)
  }

  async add(event: StoredEvent, leaf: Buffer): Promise<void> {
    const { range, difference } = this
    this.isContiguous &&= Number(event.position) === range.before + 1 + this.tree.size - range.low
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
  }

  /** Whether the next published leaf is of the event with this id. */
  async expects(id: string): Promise<boolean> {
    const leaf = this.difference ? undefined : await this.nextLeaf()
    if (leaf) this.inPiece -= 1
    return leaf?.id === id
  }

  /** How the events differ; undefined where the published leaves are not those that were sealed. */
  async finding(): Promise<Finding | undefined> {
    const { range, tree } = this
    if (!this.difference && tree.size === range.high && tree.root().toString('hex') === range.root)
      return findingAt(
        'altered',
        { number: String(range.before + 1) },
        `Events after ${range.before} were replaced before they were sealed: they were others when they were read first`,
      )
    const difference = this.difference ?? { event: undefined, tree: new GrowingMerkleTree(tree), leaves: [], ids: [] }
    for (let leaf = await this.nextLeaf(); leaf; leaf = await this.nextLeaf()) addPublished(difference, leaf)
    const isSealed = difference.tree.size === range.high && difference.tree.root().toString('hex') === range.root
    return isSealed ? this.explain(difference) : undefined
  }

  /** Without published leaves, only the range can be named. */
  findingWithoutLeaves(): Finding {
    const { name, before, last, low, high } = this.range
    const number = String(before + 1)
    const between = `between ${number} and ${last ?? 'the end'}, under ${name}`
    const missing = high - this.tree.size
    if (missing > 0)
      return findingAt('missing', { number }, `${missing} of ${high - low} events are missing ${between}`)
    if (missing < 0) return findingAt('added', { number }, `${-missing} events were added ${between}`)
    return findingAt(
      'altered',
      { number },
      `An event was altered or reordered ${between}; only the published leaves can show which one`,
    )
  }

  /** The next published leaf; none at the end of the range, and none any more where files are missing. */
  private async nextLeaf(): Promise<PublishedLeaf | undefined> {
    while (this.published && this.inPiece === this.piece.length) {
      const { done, value } = await this.published.next()
      if (done) {
        // Leaves that end early say nothing of what follows.
        if ((this.difference?.tree ?? this.tree).size < this.range.high) this.published = undefined
        return undefined
      }
      this.piece = value
      this.inPiece = 0
    }
    return this.piece[this.inPiece++]
  }

  /** Explains a difference by comparing the published ids with those in the log. */
  private explain({ event, leaves, ids, tree }: Difference): Finding {
    const { range } = this
    const under = `under ${range.name}`
    const [first] = leaves
    const expected = first?.id
    const index = tree.size - leaves.length - range.low
    const hasNoGaps =
      range.last === null ? this.isContiguous : Number(range.last) - range.before === range.high - range.low
    const missing = { number: hasNoGaps ? String(range.before + 1 + index) : null }
    if (!event)
      return findingAt(
        'missing',
        missing,
        `Event ${expected} is missing, and ${leaves.length - 1} after it ${under}: the log ends before it`,
      )
    const name = nameOfEvent(event)
    if (expected === event.id)
      return findingOf('altered', event, `${name} was altered: its bytes are not those sealed ${under}`)
    const isPresent = expected !== undefined && ids.includes(expected)
    const isKnown = leaves.some(({ id }) => id === event.id)
    if (isPresent && isKnown)
      return findingOf(
        'reordered',
        event,
        `${name} is where event ${expected} was sealed ${under}: they were reordered`,
      )
    if (isKnown) return findingAt('missing', missing, `Event ${expected} is missing: ${name} is in its place ${under}`)
    return findingOf('added', event, `${name} was added: it is not among the events sealed ${under}`)
  }
}

/** Whether a position is after a range, of whose tree so many leaves were read. */
export function isPastRange({ last, high }: SealedRange, position: number, leaves: number): boolean {
  return last === null ? leaves >= high : position > Number(last)
}

function addPublished({ tree, leaves }: Difference, leaf: PublishedLeaf): void {
  tree.append(leaf.hash)
  if (leaves.length < MAX_EXPLAINED) leaves.push(leaf)
}
