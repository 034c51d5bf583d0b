import type { StoredEvent } from '../infra/event-store/event-store.ts'
import { leafOfEvent } from '../services/proof/stored-event-bytes.ts'
import { nodeOf } from '../services/proof/merkle-tree.ts'
import type { SigningKey } from '../services/proof/seal-signing.ts'
import type { TransparencyLog } from '../services/proof/transparency-log.ts'
import { checkpointBody, checkpointNote } from '../services/proof/tree-checkpoint.ts'
import { consistencyPath, hashOfSubtree, inclusionPath, multiProof, type Subtree, type TreeNode } from '../services/proof/tree-proofs.ts'

export interface MemoryLogOptions {
  /** All events of the log, in its order. */
  readonly events: readonly StoredEvent[]
  readonly key: SigningKey
  /** The size of the newest checkpoint; all events without it, and no checkpoint for 0. */
  readonly size?: number
  readonly origin?: string
  /** What others attest of the checkpoint: more lines of its note, and a time-stamp token. */
  attest?(note: string): { readonly note: string; readonly timestamp: Buffer }
}

/** A transparency log in memory. */
export function memoryTransparencyLog({ events, key, size = events.length, origin = 'portal.example/log', attest }: MemoryLogOptions): TransparencyLog {
  const leaves = events.map(leafOfEvent)
  const indexes = new Map(events.map(({ position }, index) => [position, index]))
  const hashOf = ({ level, index }: TreeNode): Uint8Array => {
    const leaf = leaves[index]
    if (level > 0) return nodeOf(hashOf({ level: level - 1, index: index * 2 }), hashOf({ level: level - 1, index: index * 2 + 1 }))
    if (!leaf) throw new RangeError(`The log has no event ${index}`)
    return leaf
  }
  const hashes = (subtrees: Iterable<Subtree>) => Array.from(subtrees, (subtree) => hashOfSubtree(subtree, hashOf))
  return {
    async newest() {
      if (size === 0) return undefined
      const root = hashOfSubtree({ low: 0, high: size }, hashOf)
      const body = checkpointBody({ origin, size, root })
      const note = await checkpointNote(body, key.publicKey, Buffer.from(key.sign(body), 'base64'))
      return { note, size, root, ...attest?.(note) }
    },
    indexesOf: async (wanted, of) =>
      wanted.map(({ position }) => {
        const index = indexes.get(position)
        return index !== undefined && index < of ? index : undefined
      }),
    inclusionOf: async (of, inSize) => hashes(multiProof(of, inSize)),
    pathOf: async (index, of) => hashes(inclusionPath(index, of)),
    consistencyOf: async (first, second) => hashes(consistencyPath(first, second)),
  }
}
