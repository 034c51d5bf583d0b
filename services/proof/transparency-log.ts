import type { EventStore, StoredEvent } from '#infra/event-store/event-store.ts'
import { Unavailable } from '#infra/failures.ts'
import { type CommittedHeads, SEALS_STREAM, loadSeals } from './seal.ts'
import type { Repositories } from '#services/event-sourcing/aggregate-repository.ts'
import { MissingEvents } from '#services/event-sourcing/missing-events.ts'
import type { CheckpointAttestations } from './checkpoint-attestations.ts'
import type { EventTree } from './event-tree.ts'
import { type HeadProof, keyOf, proveHead } from './head-map.ts'
import { committedRoot, type StreamHeads } from './stream-heads.ts'
import { parseCheckpoint } from './tree-checkpoint.ts'
import { consistencyPath, inclusionPath, multiProof } from './tree-proofs.ts'
import type { Subtree } from './tree-verification.ts'

/** The tree over all events of the log, in log order (RFC 6962), as exports and receipts use it. */
export type TransparencyLog = ReturnType<typeof createTransparencyLog>

export interface TransparencyLogDependencies {
  readonly repositories: Repositories
  readonly eventStore: Pick<EventStore, 'subscribe' | 'readStream'>
  readonly tree: EventTree
  readonly streamHeads: Pick<StreamHeads, 'at'>
  readonly attestations: Pick<CheckpointAttestations, 'withCosignatures' | 'timestampOf'>
}

/** A tree checkpoint, and what it says. */
export interface SignedTree {
  /** With the cosignatures of witnesses, as far as there are any. */
  readonly note: string
  /** An RFC 3161 time-stamp token of the checkpoint, if there is one. */
  readonly timestamp?: Buffer | undefined
  readonly size: number
  readonly root: Buffer
  /** The heads of streams that its last leaf commits to. */
  readonly heads: CommittedHeads
}

/** Where some streams ended when a checkpoint was made. */
export interface ProvenHeads {
  /** The event that commits to them: the last leaf under the checkpoint. */
  readonly event: StoredEvent
  /** For each stream, its head or that it had no event. */
  readonly proofs: readonly HeadProof[]
}

/**
 * The transparency log of this installation: checkpoints from the log, hashes from the stored tree. The worker builds
 * the tree; until it contains the newest checkpoint again (after a restore, say), calls throw {@link Unavailable}.
 */
export function createTransparencyLog({
  repositories,
  eventStore,
  tree,
  streamHeads,
  attestations,
}: TransparencyLogDependencies) {
  const treeOf = async (size: number): Promise<EventTree> => {
    if (((await tree.state())?.size ?? 0) < size) throw new Unavailable('tree store')
    return tree
  }
  const hashesOf = async (subtrees: Iterable<Subtree>, size: number): Promise<readonly Buffer[]> =>
    (await treeOf(size)).hashesOf(subtrees)
  return {
    /** The newest tree checkpoint; undefined before the first. */
    async newest(): Promise<SignedTree | undefined> {
      const { newest } = await loadSeals(repositories)
      if (!newest) return undefined
      const { size, root } = parseCheckpoint(newest.note)
      const [note, timestamp] = await Promise.all([
        attestations.withCosignatures(newest.note),
        attestations.timestampOf(newest.note),
      ])
      return { note, size, root: Buffer.from(root), heads: newest.heads, timestamp }
    },
    /** @throws {MissingEvents} when the log does not have the heads any more that it committed to. */
    async headsOf(streams: readonly string[], heads: CommittedHeads): Promise<ProvenHeads> {
      const { map } = await streamHeads.at(committedRoot(heads), eventStore)
      const proofs = streams.map((stream) => proveHead(map, keyOf(stream)))
      for await (const [event] of eventStore.readStream(SEALS_STREAM, heads.revision, 1))
        if (event?.revision === heads.revision) return { event, proofs }
      throw new MissingEvents(`${SEALS_STREAM} has lost event ${heads.revision}`)
    },
    /**
     * The leaf index of each event; undefined where a tree of `size` does not contain it yet. An event is found by its
     * position, not by its bytes: an altered event keeps its index, and its proof fails.
     */
    async indexesOf(
      events: readonly Pick<StoredEvent, 'position'>[],
      size: number,
    ): Promise<readonly (number | undefined)[]> {
      const indexes = await (await treeOf(size)).indexesOf(events.map(({ position }) => Number(position)))
      return indexes.map((index) => (index !== undefined && index < size ? index : undefined))
    },
    /**
     * The {@link multiProof} of leaves in the tree of `size`.
     *
     * @throws {RangeError} when it has no such leaf, or they are not ascending.
     */
    inclusionOf: async (indexes: readonly number[], size: number) => hashesOf(multiProof(indexes, size), size),
    /**
     * The inclusion path of one leaf in the tree of `size`, from its sibling up.
     *
     * @throws {RangeError} when it has no such leaf.
     */
    pathOf: async (index: number, size: number) => hashesOf(inclusionPath(index, size), size),
    /**
     * The proof that the tree of `first` leaves is the beginning of that of `second`.
     *
     * @throws {RangeError} when it can't be.
     */
    consistencyOf: async (first: number, second: number) => hashesOf(consistencyPath(first, second), second),
  }
}
