import { hash } from 'node:crypto'
import { fromBase64, parseCheckpoint, toBase64, type TreeCheckpoint } from '#services/proof/tree-checkpoint.ts'
import { isConsistent, isSameHash } from '#services/proof/tree-verification.ts'
import type { VerifierKey } from '#services/proof/verifier-key.ts'
import { cosignatureLine, isSignedByLog, WrongSignature } from '#services/proof/witness-cosignature.ts'
import type { WitnessKey } from './witness-key.ts'
import type { CosignedHead, WitnessState } from './witness-state.ts'

/**
 * A witness of logs, as in C2SP tlog-witness (c2sp.org/tlog-witness). It cosigns a checkpoint only if the tree
 * continues the one that it cosigned before, so no one gets its cosignature for a fork or a rollback.
 */
export type Witness = ReturnType<typeof createWitness>

export interface WitnessAnswer {
  readonly status: 200 | 400 | 403 | 404 | 409 | 422
  readonly body: string
  /** text/plain unless given. */
  readonly type?: 'text/x.tlog.size'
}

export interface WitnessParts {
  readonly key: WitnessKey
  /** The keys that sign checkpoints. A log with several keys has several with its origin. */
  readonly logs: readonly VerifierKey[]
  readonly state: WitnessState
  /** Ms since 1970. */
  readonly now: () => number
  /** Takes a signed checkpoint that does not continue the cosigned one: it may prove that its log misbehaves. */
  onInconsistent(checkpoint: TreeCheckpoint, head: CosignedHead | undefined): void
}

/** The body of add-checkpoint. */
interface Request {
  readonly old: number
  readonly proof: readonly Uint8Array[]
  readonly checkpoint: TreeCheckpoint
  readonly note: string
}

const EMPTY_ROOT = Buffer.from(hash('sha256', ''), 'hex')

export function createWitness({ key, logs, state, now, onInconsistent }: WitnessParts) {
  const refusal = (status: WitnessAnswer['status'], reason: string): WitnessAnswer => ({ status, body: `${reason}\n` })
  const conflict = (head: CosignedHead | undefined): WitnessAnswer => ({
    status: 409,
    body: `${head?.size ?? 0}\n`,
    type: 'text/x.tlog.size',
  })
  return {
    /** Answers add-checkpoint. @param body Of the request. */
    async addCheckpoint(body: string): Promise<WitnessAnswer> {
      const request = parseRequest(body)
      if (!request) return refusal(400, 'The request is not an old size, a proof and a checkpoint')
      const { old, proof, checkpoint, note } = request
      const { origin, size, root } = checkpoint
      const keys = logs.filter(({ name }) => name === origin)
      if (keys.length === 0) return refusal(404, 'This witness does not know the log')
      if (!isSigned(checkpoint, keys)) return refusal(403, 'No trusted key of the log signed this checkpoint')
      if (old > size) return refusal(400, 'The old size is larger than the checkpoint')
      if (size === 0 && !isSameHash(root, EMPTY_ROOT)) return refusal(422, 'This is not the root of an empty tree')
      const head = state.head(origin)
      if (old !== (head?.size ?? 0)) return conflict(head)
      // An empty tree is the beginning of any, so its proof is empty.
      const isContinued =
        old === 0
          ? proof.length === 0
          : head !== undefined && (await isConsistent({ size: old, root: fromBase64(head.root) }, checkpoint, proof))
      const isSame = head === undefined || head.size !== size || head.root === toBase64(root)
      if (!isContinued || !isSame) {
        onInconsistent(checkpoint, head)
        return refusal(422, 'The proof does not show that the checkpoint continues the one before')
      }
      const line = cosignatureLine(key, checkpoint.body, Math.floor(now() / 1_000), key.sign)
      // Another request may have been first: then this one was checked against an old head.
      if (
        !state.advance(origin, head, { size, root: toBase64(root), note: withOwnLines(note, checkpoint, keys) + line })
      )
        return conflict(state.head(origin))
      return { status: 200, body: line }
    },
    /** The newest cosigned checkpoint. @param originHash SHA-256 of the log's origin, hex. */
    checkpoint: (originHash: string): string | undefined => {
      const log = logs.find(({ name }) => hash('sha256', name) === originHash)
      return log && state.head(log.name)?.note
    },
  }
}

const REQUEST =
  /^old (0|[1-9]\d{0,15})\n((?:[A-Za-z0-9+/]{43}=\n){0,63})\n((?:[^\n]+\n){3})((?:[^\p{Cc}]+\n)*)(\n.*)$/su

/** Undefined for anything that is not one. A note may have extension lines: what they say is the log's business. */
function parseRequest(body: string): Request | undefined {
  const [, old = '', lines = '', head = '', extensions = '', signatures = ''] = REQUEST.exec(body) ?? []
  if (head === '' || !Number.isSafeInteger(Number(old))) return undefined
  try {
    const proof = lines.split('\n').slice(0, -1).map(fromBase64)
    const checkpoint = { ...parseCheckpoint(head + signatures), body: head + extensions }
    return { old: Number(old), proof, checkpoint, note: head + extensions + signatures }
  } catch {
    return undefined
  }
}

function isSigned(checkpoint: TreeCheckpoint, keys: readonly VerifierKey[]): boolean {
  try {
    // All of them are checked: a wrong signature by one of them makes the note malformed.
    return keys.filter((key) => isSignedByLog(checkpoint, key)).length > 0
  } catch (error) {
    if (error instanceof WrongSignature) return false
    throw error
  }
}

/** The note with the lines of known keys only: what others signed was not checked. */
function withOwnLines(note: string, { body, signatures }: TreeCheckpoint, keys: readonly VerifierKey[]): string {
  const lines = note.slice(body.length + 1).split(/(?<=\n)/)
  const isOwn = (n: number) =>
    keys.some(({ name, id }) => signatures[n]?.name === name && Buffer.from(signatures[n].keyId).toString('hex') === id)
  return `${body}\n${lines.filter((_, n) => isOwn(n)).join('')}`
}
