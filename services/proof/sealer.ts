import type { EventStore, Position, StoredEvent } from '#infra/event-store/event-store.ts'
import { unlessFails } from '#infra/failures.ts'
import type { CheckpointStore } from '#infra/read-model-store/read-model-store.ts'
import type { TreeState } from '#infra/tree-store/tree-store.ts'
import {
  LostSeals,
  SEALER_CHECKPOINT,
  SEALS_ID,
  SEALS_STREAM,
  type Seals,
  type TreeCheckpointData,
  commitHeads,
  hadSealed,
  introduceSealingKey,
  recordCheckpoint,
  sealStreams,
  succeedSealingKey,
} from './seal.ts'
import type { Repositories } from '#services/event-sourcing/aggregate-repository.ts'
import { type Context, systemContext } from '#services/event-sourcing/codec/metadata.ts'
import type { PersonKeys } from '#services/event-sourcing/crypto-shredding/person-keys.ts'
import { MissingEvents } from '#services/event-sourcing/missing-events.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import type { AppendedLeaves, EventTree } from './event-tree.ts'
import { rootOf as rootOfHeads } from './head-map.ts'
import { endorsementText } from './signed-texts.ts'
import type { PublishedTree } from './published-tree.ts'
import { signingKey, type SigningKey, wasEverSealed } from './seal-signing.ts'
import type { SealedSize } from './sealed-size.ts'
import { committedRoot, followHeads, type Heads, noHeads, type StreamHeads, withLeaves } from './stream-heads.ts'
import { checkpointBody, checkpointNote, parseCheckpoint } from './tree-checkpoint.ts'
import { consistencyPath } from './tree-proofs.ts'
import { isConsistent } from './tree-verification.ts'

export interface SealerDependencies {
  readonly eventStore: EventStore
  readonly repositories: Repositories
  readonly personKeys: Pick<PersonKeys, 'require' | 'getOrCreate' | 'get'>
  readonly publishedTree: PublishedTree
  readonly sealedSize: SealedSize
  readonly tree: EventTree
  readonly streamHeads: StreamHeads
  /** Holds where the log is sealed up to, for the status. */
  readonly checkpoints: Pick<CheckpointStore, 'save'>
  /** The name of the log in its checkpoints, such as `portal.example/log`. */
  readonly origin: string
}

export type Sealer = ReturnType<typeof createSealer>

/** The log is not what was sealed. Another checkpoint over it would contradict the last. */
export class AlteredLog extends Error {
  override readonly name = 'AlteredLog'
  constructor(number: number, reason = 'an event under it was altered') {
    super(
      `The log does not continue checkpoint ${number}: ${reason}. Sealing stops until this is resolved: npx proofdesk audit verify`,
    )
  }
}

/** Creates the sealer. Several processes may seal: a checkpoint is recorded only if it follows the newest. */
export function createSealer(parts: SealerDependencies) {
  const { eventStore, repositories, personKeys, publishedTree, sealedSize, tree, streamHeads, checkpoints, origin } =
    parts
  const stream = repositories.of(sealStreams)
  /** The published note that this process last found in the log. */
  let confirmed: string | undefined

  const keyFor = async ({ keys }: Seals): Promise<SigningKey> => {
    if (keys.length === 0) await sealedSize.begin()
    const key = await signingKey(personKeys, Math.max(1, keys.length), keys.length)
    const introduction = { keyId: key.id, publicKey: key.publicKey, endorsement: null }
    await stream.decide(SEALS_ID, systemContext('sealer', 'sealing'), (state) =>
      introduceSealingKey(state, introduction),
    )
    return key
  }

  const rootOf = async (size: number): Promise<Buffer> => {
    const [root] = await tree.hashesOf([{ low: 0, high: size }])
    if (!root) throw new RangeError('The tree is empty')
    return root
  }

  /** Whether the tree continues that of a checkpoint. */
  const continues = async ({ size }: TreeState, { note }: Pick<TreeCheckpointData, 'note'>): Promise<boolean> => {
    const before = parseCheckpoint(note)
    if (before.size > size) return false
    const consistent = async () =>
      isConsistent(before, { size, root: await rootOf(size) }, await tree.hashesOf(consistencyPath(before.size, size)))
    return (await unlessFails(consistent(), RangeError)) ?? false
  }

  /**
   * The tree over all events, as a continuation of the newest checkpoint. It is built again once if the stored one is
   * not.
   */
  const followLog = async (
    newest: Seals['newest'],
    onAppended?: (appended: AppendedLeaves) => void,
  ): Promise<TreeState | undefined> => {
    const state = await tree.follow(eventStore, isOfSealing, onAppended)
    if (!newest || (state && (await continues(state, newest)))) return state
    await tree.clear()
    const rebuilt = await tree.follow(eventStore, isOfSealing)
    if (!rebuilt || !(await continues(rebuilt, newest))) throw new AlteredLog(newest.number)
    return rebuilt
  }

  /** The heads that the newest checkpoint commits to. */
  const headsOf = (newest: Seals['newest']) =>
    newest ? streamHeads.at(committedRoot(newest.heads), eventStore) : noHeads

  /**
   * The heads after the tree's last leaf, followed from earlier ones. All leaves from there on are compared with the
   * tree's: it must be that of the log as it is now, not of what the log once was.
   */
  const headsAt = async ({ size }: Pick<TreeState, 'size'>, from: Heads): Promise<Heads | undefined> => {
    let isSame = true
    const heads = await followHeads(from, eventStore, size, async (low, leaves) => {
      const hashes = tree.hashesOf(leaves.map((_, n) => ({ low: low + n, high: low + n + 1 })))
      // Where the stored tree lacks a part, it is made again.
      const stored = await unlessFails(hashes, RangeError)
      isSame &&= leaves.every((leaf, n) => stored?.[n]?.equals(leaf))
    })
    return isSame && heads.size === size ? heads : undefined
  }

  /** The tree and the heads of the log as it is now. @throws {AlteredLog} */
  const readLogState = async (newest: Seals['newest']) => {
    try {
      const from = await headsOf(newest)
      const stored = await tree.state()
      let heads = stored && stored.size > from.size ? await headsAt(stored, from) : from
      // The leaves that the tree takes up now are of the log as it is now.
      const state = await followLog(newest, (appended) => {
        heads = heads?.size === appended.low ? withLeaves(heads, appended) : undefined
      })
      if (!state) return undefined
      if (heads?.size === state.size) return { state, heads }
      // Leaves of the tree beyond the checkpoint are not in the log any more: they were never sealed.
      await tree.clear()
      const rebuilt = await followLog(newest)
      const again = rebuilt && (await headsAt(rebuilt, from))
      if (again) return { state: rebuilt, heads: again }
    } catch (error) {
      if (!(error instanceof MissingEvents)) throw error
      throw new AlteredLog(newest?.number ?? 0, error.message)
    }
    throw new AlteredLog(newest?.number ?? 0)
  }

  /** Appends what the heads are, and returns that event's revision, position and leaf. */
  const recordHeads = async ({ map, size }: Heads, newest: Seals['newest'], context: Context) => {
    const data = { size, streams: map.streams, root: rootOfHeads(map).toString('base64') }
    const { revision, position } = await stream.decide(SEALS_ID, context, (latest) => commitHeads(latest, data))
    await followLog(newest)
    const [leaf] = await tree.indexesOf([Number(position)])
    if (typeof revision !== 'number' || leaf === undefined) throw new AlteredLog(newest?.number ?? 0)
    return { revision, position, leaf }
  }

  const sealNext = async (): Promise<boolean> => {
    const before = (await stream.load(SEALS_ID)).state
    const waiting = await readLogState(before.newest)
    if (!waiting || waiting.state.pending <= (before.newest?.size ?? 0)) return false
    const key = await keyFor(before)
    // The introduction of the first key is under the first checkpoint.
    const { state, heads } = before.keys.length > 0 ? waiting : ((await readLogState(before.newest)) ?? waiting)
    const number = (before.newest?.number ?? 0) + 1
    const context = systemContext('sealer', `checkpoint ${number}`)
    let last: Position
    try {
      const recorded = await recordHeads(heads, before.newest, context)
      last = recorded.position
      const size = recorded.leaf + 1
      const body = checkpointBody({ origin, size, root: await rootOf(size) })
      const note = await checkpointNote(body, key.publicKey, Buffer.from(key.sign(body), 'base64'))
      const checkpoint = { number, size, last, heads: recorded.revision, keyId: key.id, note }
      await stream.decide(SEALS_ID, context, (latest) => recordCheckpoint(latest, checkpoint))
    } catch (error) {
      // Another process sealed at the same time.
      if (error instanceof Refused && error.kind === 'conflict') return false
      throw error
    }
    await streamHeads.commit(heads)
    await checkpoints.save({ consumer: SEALER_CHECKPOINT, checkpoint: state.checkpoint, position: last })
    return true
  }

  /** Whether a published note is one of the log's checkpoints. */
  const isInLog = async (note: string): Promise<boolean> => {
    if (note === confirmed) return true
    for await (const event of stream.readEvents(SEALS_ID))
      if (event.type === 'TreeCheckpointSigned' && event.data.note === note) return true
    return false
  }

  /** Publishes the newest checkpoint, with its tree, unless it is published already. */
  const publishTree = async (): Promise<void> => {
    // Before the log is read: it has what others know of it by now.
    const [found, known] = [await publishedTree.checkpoint(), await sealedSize.read()]
    const { state } = await stream.load(SEALS_ID)
    const { newest: checkpoint, restorations } = state
    if (!known && (await wasEverSealed(state, personKeys)))
      throw new LostSeals("The number of sealed events (row 'sealed' of the key store)", 'the key store')
    if (known && !hadSealed(state, known.size, known.restorations))
      throw new LostSeals(`The checkpoint over ${known.size} events, of which the key store knows,`)
    // A checkpoint published before the log was set back is published again.
    const published = restorations.some(({ note }) => note === found) ? undefined : found
    if (published !== undefined && published !== checkpoint?.note && !(await isInLog(published)))
      throw new LostSeals('The checkpoint published last')
    confirmed = published
    if (checkpoint && (checkpoint.size !== known?.size || restorations.length !== known.restorations))
      await sealedSize.write({ size: checkpoint.size, restorations: restorations.length })
    if (
      !checkpoint ||
      (published === checkpoint.note && (await publishedTree.checkpointOf(checkpoint.size)) === published)
    )
      return
    // Right after a sealing the stored tree is the one that was signed.
    const stored = await tree.state()
    if (!stored || !(await continues(stored, checkpoint))) await followLog(checkpoint)
    await publishedTree.publish(checkpoint.note, tree, published === undefined ? 0 : parseCheckpoint(published).size)
    confirmed = checkpoint.note
  }

  /**
   * Signs a checkpoint over all events, and publishes what is missing outside the log. Returns the number of new
   * checkpoints: none when the log has only events of the sealing itself to seal.
   *
   * @throws {LostSeals} when something is published that the log does not have.
   * @throws {AlteredLog} when the log does not continue its newest checkpoint.
   */
  const sealAll = async (): Promise<number> => {
    await publishTree()
    if (!(await sealNext())) return 0
    await publishTree()
    return 1
  }

  return {
    sealAll,
    /**
     * Rotates the sealing key. The old key seals all events up to now and signs its successor. The event of the
     * rotation is the first that the new key seals.
     *
     * @throws {Refused} conflict, when another process rotates it at the same time.
     */
    async rotateKey() {
      await sealAll()
      const { state } = await stream.load(SEALS_ID)
      const old = await keyFor(state)
      const introduced = Math.max(1, state.keys.length)
      const next = await signingKey(personKeys, introduced + 1, introduced)
      const introduction = {
        keyId: next.id,
        publicKey: next.publicKey,
        endorsement: old.sign(endorsementText(old.id, next)),
      }
      await stream.decide(SEALS_ID, systemContext('sealer', 'another key'), (before) =>
        succeedSealingKey(before, old.id, introduction),
      )
      await sealAll()
      return { from: old.id, to: next.id }
    },
  }
}

/**
 * Whether an event is of the sealing itself and waits for no checkpoint. The introduction of a successor and a
 * restoration do.
 */
function isOfSealing({ stream, type, revision }: StoredEvent): boolean {
  const waits = type === 'LogRestored' || (type === 'SealingKeyIntroduced' && revision > 0)
  return stream === SEALS_STREAM && !waits
}
