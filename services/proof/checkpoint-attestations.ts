import { unlessFails } from '#infra/failures.ts'
import { createKeyedQueue } from '#services/event-sourcing/keyed-queue.ts'
import { checkpointName, type PublishedTree } from './published-tree.ts'
import { ownNote, parseCheckpoint } from './tree-checkpoint.ts'
import { cosignedAt } from './witness-cosignature.ts'
import type { PolicyWitness } from './witness-policy.ts'

/**
 * Attestations of tree checkpoints by others: the cosignatures of witnesses, and the tokens of a time-stamping
 * authority. They are files beside the published tree. While these cannot be read,
 * checkpoints are served without attestations. Files that do not belong to their checkpoint are ignored.
 */
export type CheckpointAttestations = ReturnType<typeof createCheckpointAttestations>

export interface AttestationOptions {
  readonly files: Pick<PublishedTree, 'file' | 'store'>
  /** The witnesses whose cosignatures count; of others there is nothing. */
  readonly witnesses: readonly PolicyWitness[]
  /** Throws for a token that is not of this checkpoint. Without it there are no tokens. */
  readonly checkToken: ((token: Uint8Array, note: string) => void) | undefined
}

export function createCheckpointAttestations({ files, witnesses, checkToken }: AttestationOptions) {
  const pathOf = (folder: 'cosignatures' | 'timestamps', note: string) =>
    checkpointName(folder, parseCheckpoint(note).size)

  const linesOf = async (note: string): Promise<string[]> => {
    const own = ownNote(note)
    const stored = (await files.file(pathOf('cosignatures', note)))?.toString().split('\n') ?? []
    return witnesses.flatMap(({ key }) => stored.filter((line) => isCosignature(own, `${line}\n`, key)).slice(0, 1))
  }

  const queue = createKeyedQueue()

  return {
    /** A checkpoint with the cosignatures of the known witnesses, in the order of the policy. */
    async withCosignatures(note: string): Promise<string> {
      if (witnesses.length === 0) return note
      const lines = await unlessFails(linesOf(note))
      return ownNote(note) + (lines ?? []).map((line) => `${line}\n`).join('')
    },

    /** The time-stamp token of a checkpoint. */
    async timestampOf(note: string): Promise<Buffer | undefined> {
      if (!checkToken) return undefined
      const token = await unlessFails(files.file(pathOf('timestamps', note)))
      try {
        if (token) checkToken(token, note)
        return token
      } catch {
        return undefined
      }
    },

    /** @param line The signature line of a witness. @throws {Unavailable} */
    addCosignature: (note: string, line: string): Promise<void> =>
      // One after another: each writes the file with the lines that it has found.
      queue('cosignatures', async () => {
        const lines = [...(await linesOf(note)).map((each) => `${each}\n`), line]
        await files.store(pathOf('cosignatures', note), Buffer.from(lines.join('')))
      }),

    /** @throws {Unavailable} */
    addTimestamp: (note: string, token: Uint8Array) => files.store(pathOf('timestamps', note), token),
  }
}

function isCosignature(own: string, line: string, key: PolicyWitness['key']): boolean {
  try {
    return cosignedAt(parseCheckpoint(own + line), key) !== undefined
  } catch {
    return false
  }
}
