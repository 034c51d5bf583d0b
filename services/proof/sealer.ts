import { hash } from 'node:crypto'
import { type Checkpoint, type EventStore, type Position, start, type StoredEvent, toPosition } from '../../infra/event-store/event-store.ts'
import type { CheckpointStore } from '../../infra/read-model-store/read-model-store.ts'
import { succeedSealingKey, introduceSealingKey, recordSeal, type SealData, type Seals } from '../domain/seal/seal.ts'
import type { Repositories } from '../event-sourcing/aggregate-repository.ts'
import { systemContext } from '../event-sourcing/codec/metadata.ts'
import type { PersonKeys } from '../event-sourcing/crypto-shredding/person-keys.ts'
import { seals as sealStreams, streamName } from '../domain/streams.ts'
import { endorsementText, sealText, signedText } from './export-verification.ts'
import { leafOfEvent } from './stored-event-bytes.ts'
import { GrowingMerkleTree, leafOf } from './merkle-tree.ts'
import type { PublishedLeaf, PublishedSeals } from './published-seals.ts'
import { signingKey, type SigningKey } from './seal-signing.ts'

/** The id of the log's only chain of seals. */
export const SEALS_ID = 'this'

/** The most events under one seal, because their leaves are in memory during sealing. */
const MAX_SEALED_EVENTS = 65_536

export interface SealerDependencies {
  readonly eventStore: EventStore
  readonly repositories: Repositories
  readonly personKeys: Pick<PersonKeys, 'getOrCreate'>
  readonly publishedSeals: PublishedSeals
  /** Holds the sealer's checkpoint; without it, the next start reads the log from the beginning. */
  readonly checkpoints: Pick<CheckpointStore, 'load' | 'save'>
  readonly now: () => number
}

/** The name of the sealer's checkpoint. */
export const SEALER_CHECKPOINT = 'sealer'

export interface Sealer {
  /**
   * Seals all events since the newest seal, and publishes every seal that is missing outside the log. Returns the number of
   * new seals: none when the log has only seals to seal.
   *
   * @throws {LostSeals} when the log has fewer seals than were published.
   */
  sealAll(): Promise<number>

  /**
   * Rotates the sealing key. The old key seals all events up to now and signs its successor. The event of the rotation is the
   * first that the new key seals.
   *
   * @throws {Refused} conflict, when another process rotates it at the same time.
   */
  rotateKey(): Promise<{ readonly from: string; readonly to: string }>
}

/** The log was set back to before a published seal. Sealing it again would hide that. */
export class LostSeals extends Error {
  override readonly name = 'LostSeals'
  constructor(readonly number: number) {
    super(
      `Seal ${number} is outside the log, but the log has lost it: it was restored from a backup, or tampered with. Sealing stops until this is resolved: npx proofdesk audit verify`,
    )
  }
}

interface UnsealedRange {
  readonly leaves: readonly PublishedLeaf[]
  /** Over the leaves. It grows while they are read, so that hashing never blocks the process for long. */
  readonly tree: GrowingMerkleTree
  readonly first: Position
  readonly last: Position
  readonly checkpoint: Checkpoint
  /** Whether it holds nothing but seals and the introduction of the first key. */
  readonly isIdle: boolean
}

/** Creates the sealer. Several processes may seal: a seal is recorded only if it follows the newest. */
export function createSealer({ eventStore, repositories, personKeys, publishedSeals, checkpoints, now }: SealerDependencies): Sealer {
  const stream = repositories.of(sealStreams)
  /** The tree of all seals read so far, and the revision to continue from. */
  const history = new GrowingMerkleTree()
  let next = 0

  const followHistory = async (): Promise<void> => {
    for await (const event of stream.readEvents(SEALS_ID, next)) {
      next = event.revision + 1
      if (event.type === 'FactsSealed') history.append(leafOf(sealText(event.data)))
    }
  }

  /** The next unsealed events. Without a fitting checkpoint, the log is read from its beginning. */
  const nextRange = async (after: Position): Promise<UnsealedRange | undefined> => {
    const saved = await checkpoints.load(SEALER_CHECKPOINT)
    const from = saved?.position === after ? saved.checkpoint : undefined
    const leaves: PublishedLeaf[] = []
    const tree = new GrowingMerkleTree()
    let isIdle = true
    let [first, last, checkpoint]: [Position | undefined, Position, Checkpoint | undefined] = [undefined, after, from]
    const stopped = new AbortController()
    for await (const batch of eventStore.subscribe(from, { signal: stopped.signal })) {
      for (const event of batch.events) {
        if (Number(event.position) <= Number(after)) continue
        const hash = leafOfEvent(event)
        leaves.push({ hash, id: event.id })
        tree.append(hash)
        first ??= event.position
        last = event.position
        isIdle &&= isSeal(event) && !isKeySuccession(event)
      }
      checkpoint = batch.checkpoint
      if (batch.caughtUp || leaves.length >= MAX_SEALED_EVENTS) stopped.abort()
    }
    return first && checkpoint ? { leaves, tree, first, last, checkpoint, isIdle } : undefined
  }

  const keyFor = async ({ keys }: Seals): Promise<SigningKey> => {
    const key = await signingKey(personKeys, Math.max(1, keys.length))
    const introduction = { keyId: key.id, publicKey: key.publicKey, endorsement: null }
    await stream.decide(SEALS_ID, systemContext('sealer', 'sealing'), (state) => introduceSealingKey(state, introduction))
    return key
  }

  const sealNext = async (): Promise<boolean> => {
    const before = (await stream.load(SEALS_ID)).state
    const after = before.newest ? toPosition(before.newest.last) : start
    const range = await nextRange(after)
    if (!range || range.isIdle) return false
    const key = await keyFor(before)
    await followHistory()
    const { tree } = range
    const number = (before.newest?.number ?? 0) + 1
    if (history.size !== number - 1) throw new Error(`The log has ${history.size} seals, but the newest is ${number - 1}`)
    const previous = before.newest && sealHash(before.newest)
    const body = {
      number,
      first: range.first,
      last: range.last,
      count: tree.size,
      root: tree.root().toString('hex'),
      previous,
      sealedAt: now(),
      keyId: key.id,
    }
    const unsigned = { ...body, history: history.rootWith(leafOf(sealText(body))).toString('hex') }
    const seal: SealData = { ...unsigned, signature: key.sign(signedText(unsigned)) }
    await stream.decide(SEALS_ID, systemContext('sealer', `seal ${number}`), (state) => recordSeal(state, seal))
    await checkpoints.save({ consumer: SEALER_CHECKPOINT, checkpoint: range.checkpoint, position: range.last })
    await publishedSeals.publish(seal, range.leaves)
    return true
  }

  /** Publishes the seals whose publication failed. */
  const publishMissing = async (): Promise<void> => {
    const { newest } = (await stream.load(SEALS_ID)).state
    const next = (newest?.number ?? 0) + 1
    // Another process may have added it just now: then the log has it too.
    if ((await publishedSeals.seal(next)) && ((await stream.load(SEALS_ID)).state.newest?.number ?? 0) < next) throw new LostSeals(next)
    const missing: number[] = []
    for (let number = newest?.number ?? 0; number > 0 && !(await publishedSeals.seal(number)); number--) missing.push(number)
    if (missing.length === 0) return
    for await (const { type, data } of stream.readEvents(SEALS_ID))
      if (type === 'FactsSealed' && missing.includes(data.number)) await publishedSeals.publish(data, await readLeaves(eventStore, data))
  }

  const sealAll = async (): Promise<number> => {
    await publishMissing()
    let count = 0
    while (await sealNext()) count += 1
    return count
  }

  return {
    sealAll,
    async rotateKey() {
      await sealAll()
      const { state } = await stream.load(SEALS_ID)
      const old = await keyFor(state)
      const next = await signingKey(personKeys, Math.max(1, state.keys.length) + 1)
      const introduction = { keyId: next.id, publicKey: next.publicKey, endorsement: old.sign(endorsementText(old.id, next)) }
      await stream.decide(SEALS_ID, systemContext('sealer', 'another key'), (before) => succeedSealingKey(before, old.id, introduction))
      await sealAll()
      return { from: old.id, to: next.id }
    },
  }
}

/** The hash of a seal, by which the next seal names it, hex. */
export function sealHash(seal: SealData): string {
  return hash('sha256', signedText(seal))
}

/** The leaves of the events under a seal, read from the log. */
export async function readLeaves(eventStore: Pick<EventStore, 'subscribe'>, { first, last }: Pick<SealData, 'first' | 'last'>): Promise<PublishedLeaf[]> {
  const leaves: PublishedLeaf[] = []
  const stopped = new AbortController()
  for await (const { events, position, caughtUp } of eventStore.subscribe(undefined, { signal: stopped.signal })) {
    for (const event of events) {
      const number = Number(event.position)
      if (number >= Number(first) && number <= Number(last)) leaves.push({ hash: leafOfEvent(event), id: event.id })
    }
    if (caughtUp || Number(position) >= Number(last)) stopped.abort()
  }
  return leaves
}

/** The first event of the stream introduces the first key; later introductions are rotations. */
const isKeySuccession = ({ type, revision }: StoredEvent) => type === 'SealingKeyIntroduced' && revision > 0

const isSeal = ({ stream }: StoredEvent) => stream === streamName(sealStreams, SEALS_ID)
