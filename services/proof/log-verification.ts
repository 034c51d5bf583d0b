import { z } from 'zod'
import {
  CheckpointBeyondEnd,
  comparePositions,
  type EventStore,
  start,
  toCheckpoint,
  toPosition,
} from '#infra/event-store/event-store.ts'
import { type CheckedEvent, forgeryOf } from '#services/event-sourcing/codec/event-authentication.ts'
import { readLog } from '#services/event-sourcing/read-log.ts'
import { type Finding, finding, findingAt, FindingError, findingOf, nameOfEvent } from './log-finding.ts'
import { CommittedHeads } from './committed-heads.ts'
import { GrowingMerkleTree } from './merkle-tree.ts'
import { compareTiles } from './published-tiles.ts'
import type { PublishedTree } from './published-tree.ts'
import { explainDifference, isPastRange } from './range-comparison.ts'
import { type NextRange, noSealsFollowed, SealedRanges, sealsFollowed } from './sealed-ranges.ts'
import type { PublicKey } from './signed-texts.ts'
import { type AskedStore, foreignSchema, strayRows } from './foreign-content.ts'
import { leafOfEvent } from './stored-event-bytes.ts'
import { StreamChains } from './stream-chains.ts'

export interface LogVerification {
  readonly facts: number
  /** Tree checkpoints. */
  readonly seals: number
  /** Events not sealed yet, for which only the hash chains of their streams could be checked. */
  readonly unsealed: number
  /** The position of the last sealed event. */
  readonly sealedUpTo: string | null
  /** The position up to which the log was read. */
  readonly upTo: string
  readonly finding: Finding | null
}

export interface VerifyDependencies {
  readonly eventStore: Pick<EventStore, 'subscribe' | 'readStream' | 'end' | 'hidingOrders' | 'strays'>
  /** They are looked through for what is not the portal's; none for a log alone. */
  readonly stores?: readonly AskedStore[]
  readonly publishedTree: Pick<PublishedTree, 'checkpoint' | 'checkpointOf' | 'leaves' | 'file'>
  /** The keys that seals may be signed with, oldest first: from the key store, not from the log. */
  readonly keys: readonly PublicKey[]
  /** Called with each event, in order, authentic or not. */
  readonly onEvent?: (event: CheckedEvent) => void
  /** Events of a step. */
  readonly batchSize?: number
}

/** A place in the log after some event. */
const place = z.object({
  /** The log is read on from here, or a little before; null for its beginning. */
  checkpoint: z.string().nullable(),
  /** The position of the last event before. */
  position: z.string(),
  /** Events before. */
  facts: z.int().nonnegative(),
  /** The tree over them. */
  tree: z.array(z.object({ size: z.int().positive(), hash: z.string() })),
})
type Place = Readonly<z.infer<typeof place>>

/** How far a verification has come: plain data, with which it continues, in this process or another. */
export const verificationState = z.object({
  /** Everything before is read. */
  at: place,
  /** Everything before is as it was sealed. */
  sealed: place,
  seals: sealsFollowed,
  /** The finding of a chain in the range at hand. The published leaves may say more. */
  broken: finding.nullable(),
  /** The first event that the portal did not append. All others are verified nevertheless. */
  forged: finding.nullable(),
  /** The first stream that shows less, when it is read by itself, than the whole log has of it. */
  hidden: finding.nullable().default(null),
  /** The checkpoint that is published and not in the log. */
  lost: finding.nullable(),
})
export type VerificationState = Readonly<z.infer<typeof verificationState>>

/** Streams that are read at once. */
const READS = 32

const beginning: Place = { checkpoint: null, position: start, facts: 0, tree: [] }

/** Before the first event. */
export const unverified: VerificationState = {
  at: beginning,
  sealed: beginning,
  seals: noSealsFollowed,
  broken: null,
  forged: null,
  hidden: null,
  lost: null,
}

/** One step of a verification; the last one has the result. */
export interface VerificationStep {
  readonly state: VerificationState
  readonly result: LogVerification | undefined
}

/** {@link verifyInSteps}, to its end. */
export async function verifyLog(dependencies: VerifyDependencies): Promise<LogVerification> {
  for await (const { result } of verifyInSteps(dependencies)) if (result) return result
  throw new Error('The verification came to no end')
}

/**
 * Checks the whole log, from its beginning or from where another verification was: every event against its MAC and the
 * hash chain of its stream, all events against the tree checkpoints, and those in the log against the published ones.
 * From the beginning, also the ends of streams that the log commits to: a verification that is continued by another
 * process does not know them.
 * It stops at the first finding, but goes on past events that the portal did not append: they change nothing.
 *
 * Each step reads some events and says how far it has come. Nothing else is needed to go on from there: the tree over
 * what was read is one hash for each level, and the ends of streams are read from the log again. A range that is not as
 * it was sealed is read once more to say how. docs/decisions/041-verification-by-itself.md
 */
export async function* verifyInSteps(
  dependencies: VerifyDependencies,
  from: VerificationState = unverified,
): AsyncGenerator<VerificationStep, undefined> {
  const verification = new Verification(dependencies, from)
  const step = (result?: LogVerification): VerificationStep => ({ state: verification.state(), result })
  try {
    for await (const _batch of verification.run()) yield step()
    yield step(verification.result(null))
  } catch (error) {
    if (error instanceof FindingError) yield step(verification.result(error.finding))
    else if (!(error instanceof RangeDiffers)) throw error
    else
      for await (const found of explainDifference(dependencies, error.difference))
        yield step(found && verification.result(found))
  }
}

/** A range is not as it was sealed. */
class RangeDiffers extends Error {
  constructor(readonly difference: Parameters<typeof explainDifference>[1]) {
    super(`${difference.range.name} is over other events`)
  }
}

class Verification {
  private checkpoint: string | null
  private position: string
  private facts: number
  private tree: GrowingMerkleTree
  private sealed: Place
  private seals: VerificationState['seals']
  private broken: Finding | null
  private forged: Finding | null
  private hidden: Finding | null
  private lost: Finding | null
  private chains: StreamChains
  /** Undefined where it did not begin at the beginning. */
  private heads: CommittedHeads | undefined
  /** At the end of the last range. */
  private sealedHeads: CommittedHeads | undefined
  private readonly ranges: SealedRanges
  /** The range at hand; undefined after the last. */
  private next: NextRange | undefined

  constructor(
    private readonly dependencies: VerifyDependencies,
    { at, sealed, seals, broken, forged, hidden, lost }: VerificationState,
  ) {
    this.checkpoint = at.checkpoint
    this.position = at.position
    this.facts = at.facts
    this.tree = GrowingMerkleTree.of(at.tree)
    this.sealed = sealed
    this.seals = seals
    this.broken = broken
    this.forged = forged
    this.hidden = hidden
    this.lost = lost
    this.chains = new StreamChains(dependencies.eventStore)
    this.heads = at.facts === 0 ? new CommittedHeads() : undefined
    this.sealedHeads = this.heads && new CommittedHeads(this.heads)
    this.ranges = new SealedRanges(dependencies, seals)
  }

  state(): VerificationState {
    const { sealed, seals, broken, forged, hidden, lost } = this
    return { at: this.here(), sealed, seals, broken, forged, hidden, lost }
  }

  result(found: Finding | null): LogVerification {
    const { facts, seals, sealed, position } = this
    return {
      facts,
      seals: seals.checkpoint?.number ?? 0,
      unsealed: facts - sealed.facts,
      sealedUpTo: seals.checkpoint?.last ?? null,
      upTo: position,
      finding: found,
    }
  }

  /** Reads to the end of the log, and yields after each batch. @throws {FindingError} {@link RangeDiffers} */
  async *run(): AsyncGenerator<undefined, undefined> {
    const { eventStore } = this.dependencies
    await this.open()
    do yield* this.read()
    // A seal of the meantime may be newer than what was read.
    while (this.next && comparePositions(await eventStore.end(), toPosition(this.position)) > 0)
    while (this.next) await this.close()
    // A finding about what was sealed is more specific than that of an event that does not count, and a missing event
    // than a missing checkpoint.
    const hidden = (await this.findHidingOrder()) ?? this.hidden
    const recorded = this.broken ?? this.heads?.difference ?? this.forged ?? hidden ?? this.lost
    const found = recorded ?? (await this.foreign()) ?? (yield* compareTiles(this.dependencies.publishedTree))
    if (found) throw new FindingError(found)
  }

  /** What no event shows. */
  private async foreign(): Promise<Finding | undefined> {
    const { eventStore, stores = [] } = this.dependencies
    const { facts, position, seals } = this
    const log = { facts, position, sealedUpTo: seals.checkpoint?.last }
    return (await foreignSchema(stores)) ?? strayRows(eventStore, log)
  }

  private async *read(): AsyncGenerator<undefined, undefined> {
    const { eventStore, batchSize } = this.dependencies
    const after = this.checkpoint === null ? undefined : toCheckpoint(this.checkpoint)
    const readBefore = Number(this.position)
    try {
      for await (const batch of readLog(eventStore, after, batchSize === undefined ? undefined : { batchSize })) {
        const unread = batch.events.filter((event) => Number(event.position) > readBefore)
        await this.compareStreams(unread)
        for (const event of unread) await this.check(event)
        this.checkpoint = batch.checkpoint
        this.position = batch.position
        yield
      }
    } catch (error) {
      if (!(error instanceof CheckpointBeyondEnd)) throw error
      const says = `The log ends with event ${error.end}, but events up to ${this.position} had been read and verified`
      throw new FindingError(findingAt('missing', {}, says))
    }
  }

  private async check(event: CheckedEvent): Promise<void> {
    while (this.next && isPastRange(this.next.range, Number(event.position), this.tree.size)) await this.close()
    this.position = event.position
    this.facts += 1
    this.dependencies.onEvent?.(event)
    const broken = await this.chains.follow(event)
    if (event.forgery) {
      // It is no leaf. The next event of its stream shows which of the two was altered.
      this.forged ??= findingOf(event.forgery, event, `${nameOfEvent(event)} does not count: ${forgeryOf(event)}`)
      return
    }
    const leaf = leafOfEvent(event)
    this.heads?.add(event, leaf)
    this.tree.append(leaf)
    this.broken ??= broken ?? null
    if (this.broken && !this.next) throw new FindingError(this.broken)
  }

  /**
   * Reads the streams that begin here by themselves, as those do who decide on them. What hides or deletes events of a
   * stream takes the oldest first.
   */
  private async compareStreams(events: readonly CheckedEvent[]): Promise<void> {
    const { eventStore } = this.dependencies
    const beginnings = events.filter(({ revision, forgery }) => revision === 0 && !forgery)
    while (!this.hidden && beginnings.length > 0)
      await Promise.all(
        beginnings.splice(0, READS).map(async (event) => {
          for await (const [first] of eventStore.readStream(event.stream, 0, 1))
            if (first?.revision === 0) return
            else break
          this.hidden ??= findingOf('missing', event, `${nameOfEvent(event)} is missing when ${event.stream} is read`)
        }),
      )
  }

  /** What others told the store to hide of our streams, whether it does already or not. */
  private async findHidingOrder(): Promise<Finding | undefined> {
    const [order] = (await this.dependencies.eventStore.hidingOrders?.()) ?? []
    return order && findingAt('missing', { stream: order.stream }, `${order.stream} ${order.says}`)
  }

  /** Ends the range at hand. @throws {RangeDiffers} when its events are not those that were sealed. */
  private async close(): Promise<void> {
    const { next, tree, sealed, broken, forged } = this
    if (!next) return
    const { range, after, missing } = next
    if (tree.size !== range.high || tree.root().toString('hex') !== range.root)
      throw new RangeDiffers({ range, from: sealed, fallback: broken ?? forged })
    if (broken) throw new FindingError(broken)
    this.checkHeads(range)
    this.sealedHeads = this.heads && new CommittedHeads(this.heads)
    this.sealed = this.here()
    this.seals = after
    this.lost ??= missing
    await this.open()
  }

  /** The ends of streams are those that the log commits to, at the end of the range. @throws {FindingError} */
  private checkHeads({ name, heads, last }: NextRange['range']): void {
    if (!this.heads) return
    if (this.heads.difference) throw new FindingError(this.heads.difference)
    if (heads !== null && this.heads.last !== heads)
      throw new FindingError(
        findingAt('seal', { number: last }, `The last event under ${name} does not commit to the ends of streams`),
      )
  }

  /** Takes the next range. What was read beyond its end, before it was sealed, is read again. */
  private async open(): Promise<void> {
    this.next = await this.ranges.next()
    if (!this.next) return
    const { last, high } = this.next.range
    if (last === null ? this.tree.size <= high : Number(this.position) <= Number(last)) return
    ;({ checkpoint: this.checkpoint, position: this.position, facts: this.facts } = this.sealed)
    this.tree = GrowingMerkleTree.of(this.sealed.tree)
    this.chains = new StreamChains(this.dependencies.eventStore)
    this.heads = this.sealedHeads && new CommittedHeads(this.sealedHeads)
    this.broken = null
  }

  private here(): Place {
    const { checkpoint, position, facts, tree } = this
    return { checkpoint, position, facts, tree: tree.stored() }
  }
}
