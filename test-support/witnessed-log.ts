import { onTestFinished } from 'vitest'
import { leafOf } from '#services/proof/merkle-tree.ts'
import { type SigningKey, signingKeyOf } from '#services/proof/seal-signing.ts'
import { checkpointBody, checkpointNote, parseCheckpoint } from '#services/proof/tree-checkpoint.ts'
import { verifierKeyId, type VerifierKey, verifierKeyText } from '#services/proof/verifier-key.ts'
import { cosignatureLine, logKey } from '#services/proof/witness-cosignature.ts'
import { openWitnessKey, type WitnessKey } from '#services/proof/witness/witness-key.ts'
import { createWitnessServer } from '#services/proof/witness/witness-server.ts'
import { openWitnessState } from '#services/proof/witness/witness-state.ts'
import { createWitness } from '#services/proof/witness/witness.ts'
import { MerkleTree } from './merkle-tree.ts'
import type { OnEnd } from './child-process.ts'
import { listen } from './servers/ports.ts'

/** A log as its witnesses see it: checkpoints and proofs over leaves of our choice. */
export type WitnessedLog = ReturnType<typeof witnessedLog>

/** The key that signs the checkpoints of these logs. */
export const testLogKey = signingKeyOf(new Uint8Array(32).fill(7))

export interface WitnessedLogOptions {
  /** Its leaves are others from leaf `from` on: a fork. */
  readonly fork?: string
  /** 100 unless given. */
  readonly from?: number
  readonly origin?: string
  readonly key?: SigningKey
}

/** A log of 300 leaves. */
export function witnessedLog({
  fork = '',
  from = 100,
  origin = 'portal.example/log',
  key = testLogKey,
}: WitnessedLogOptions = {}) {
  const leaves = Array.from({ length: 300 }, (_, n) => leafOf(`event ${n}${n < from ? '' : fork}`))
  const treeOf = (size: number) => new MerkleTree(leaves.slice(0, size))
  const vkey = logKey(origin, key.publicKey)
  /** The signed checkpoint of the first `size` leaves. */
  const note = async (size: number): Promise<string> => {
    const body = checkpointBody({ origin, size, root: treeOf(size).root() })
    return checkpointNote(body, key.publicKey, Buffer.from(key.sign(body), 'base64'))
  }
  return {
    vkey,
    /** Its verifier key, as an option or a line of a policy has it. */
    vkeyText: verifierKeyText(vkey, 'log'),
    tree: treeOf(leaves.length),
    note,
    /** The body of add-checkpoint. */
    async request(old: number, size: number): Promise<string> {
      const proof = old === 0 || old >= size ? [] : treeOf(size).consistency(old)
      return `old ${old}\n${proof.map((hash) => `${hash.toString('base64')}\n`).join('')}\n${await note(size)}`
    },
  }
}

export type TestWitness = Awaited<ReturnType<typeof openTestWitness>>

export interface TestWitnessOptions {
  readonly folder: string
  readonly logs: readonly VerifierKey[]
  readonly name?: string
  readonly now?: () => number
  readonly onEnd?: OnEnd
}

/** A witness on a free port of this machine, until the end of the test. */
export async function openTestWitness({
  folder,
  logs,
  name = 'witness.example/w1',
  now = Date.now,
  onEnd = onTestFinished,
}: TestWitnessOptions) {
  const key = await openWitnessKey(folder, name)
  const state = openWitnessState(folder)
  const inconsistent: string[] = []
  const witness = createWitness({ key, logs, state, now, onInconsistent: ({ body }) => inconsistent.push(body) })
  const server = createWitnessServer(witness, (error) => {
    throw error
  })
  const listening = await listen(server)
  let closed = false
  const close = async () => {
    if (closed) return
    closed = true
    await listening.close()
    state.close()
  }
  onEnd(close)
  const { url } = listening
  return {
    url,
    key,
    /** Its line in a policy. */
    policyLine: `witness ${name.split('/').at(-1)} ${verifierKeyText(key, 'witness')} ${url}`,
    /** What it has refused as inconsistent. */
    inconsistent,
    close,
  }
}

/** A witness's key, without a witness. */
export function witnessKey(name: string, byte: number): WitnessKey {
  const { publicKey, sign } = signingKeyOf(new Uint8Array(32).fill(byte))
  return { name, id: verifierKeyId(name, publicKey, 'witness'), publicKey, sign }
}

/** A note with a witness's cosignature. @param seconds Since 1970. */
export function cosigned(note: string, key: WitnessKey, seconds: number): string {
  return note + cosignatureLine(key, parseCheckpoint(note).body, seconds, key.sign)
}
