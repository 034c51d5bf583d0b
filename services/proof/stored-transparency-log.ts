import { Unavailable } from '../../infra/failures.ts'
import type { Repositories } from '../event-sourcing/aggregate-repository.ts'
import { seals as sealStreams } from '../domain/streams.ts'
import type { CheckpointAttestations } from './checkpoint-attestations.ts'
import type { EventTree } from './event-tree.ts'
import { SEALS_ID } from './seal-stream.ts'
import type { TransparencyLog } from './transparency-log.ts'
import { parseCheckpoint } from './tree-checkpoint.ts'
import { consistencyPath, inclusionPath, multiProof } from './tree-proofs.ts'
import type { Subtree } from './tree-verification.ts'

export interface TransparencyLogDependencies {
  readonly repositories: Repositories
  readonly tree: EventTree
  readonly attestations: Pick<CheckpointAttestations, 'withCosignatures' | 'timestampOf'>
}

/**
 * The transparency log of this installation: checkpoints from the log, hashes from the stored tree. The worker builds the
 * tree; until it contains the newest checkpoint again (after a restore, say), calls throw {@link Unavailable}.
 */
export function createTransparencyLog({ repositories, tree, attestations }: TransparencyLogDependencies): TransparencyLog {
  const hashesOf = async (subtrees: Iterable<Subtree>, size: number) => {
    if (((await tree.state())?.size ?? 0) < size) throw new Unavailable('tree store')
    return tree.hashesOf(subtrees)
  }
  return {
    async newest() {
      const { checkpoint } = (await repositories.of(sealStreams).load(SEALS_ID)).state
      if (!checkpoint) return undefined
      const { size, root } = parseCheckpoint(checkpoint.note)
      const [note, timestamp] = await Promise.all([attestations.withCosignatures(checkpoint.note), attestations.timestampOf(checkpoint.note)])
      return { note, size, root: Buffer.from(root), timestamp }
    },
    async indexesOf(events, size) {
      if (((await tree.state())?.size ?? 0) < size) throw new Unavailable('tree store')
      const indexes = await tree.indexesOf(events.map(({ position }) => Number(position)))
      return indexes.map((index) => (index !== undefined && index < size ? index : undefined))
    },
    inclusionOf: async (indexes, size) => hashesOf(multiProof(indexes, size), size),
    pathOf: async (index, size) => hashesOf(inclusionPath(index, size), size),
    consistencyOf: async (first, second) => hashesOf(consistencyPath(first, second), second),
  }
}
