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

/** There is one chain of seals a log. */
export const SEALS_ID = 'this'

/** Facts under one seal at most: their leaves are in memory while it is made. */
const MAX_SEALED_EVENTS = 65_536

export interface SealerDependencies {
  readonly eventStore: EventStore
  readonly repositories: Repositories
  readonly personKeys: Pick<PersonKeys, 'getOrCreate'>
  readonly publishedSeals: PublishedSeals
  /** Where it is remembered how far the log is sealed; without it, the next start reads the log from the beginning. */
  readonly checkpoints: Pick<CheckpointStore, 'load' | 'save'>
  readonly now: () => number
}

/** Under which name it is remembered. */
export const SEALER_CHECKPOINT = 'sealer'

export interface Sealer {
  /**
   * Seals all facts that no seal is over yet, and sees to it that every seal is outside the log too. Answers how many
   * seals it made. When only seals are new there is nothing to seal.
   *
   * @throws {LostSeals} when the log has fewer seals than there are outside.
   */
  sealAll(): Promise<number>

  /**
   * Seals with another key from now on. What was recorded until now is sealed with the old one, which signs that the new
   * one follows it; that is a fact, and the first that the new one seals.
   *
   * @throws {Refused} conflict, when somebody else does the same.
   */
  rotateKey(): Promise<{ readonly from: string; readonly to: string }>
}

/** The log was set back to what it was before a seal that is outside. Sealing on would hide that. */
export class LostSeals extends Error {
  override readonly name = 'LostSeals'
  constructor(readonly number: number) {
    super(
      `Seal ${number} is outside the log, but the log has lost it: it was restored from a backup, or tampered with. Nothing is sealed until somebody has looked: npx proofdesk audit verify`,
    )
  }
}

interface UnsealedRange {
  readonly leaves: readonly PublishedLeaf[]
  /** Over the leaves: it grows as they are read, so that nobody else waits for all of it at once. */
  readonly tree: GrowingMerkleTree
  readonly first: Position
  readonly last: Position
  readonly checkpoint: Checkpoint
  /** Nothing in it but seals, and the key that they began with. */
  readonly isIdle: boolean
}

/** Makes seals. Several may try: a seal is recorded only where it follows the newest. */
export function createSealer({ eventStore, repositories, personKeys, publishedSeals, checkpoints, now }: SealerDependencies): Sealer {
  const stream = repositories.of(sealStreams)
  /** The tree of all seals, as far as they were read, and the revision to read on from. */
  const history = new GrowingMerkleTree()
  let next = 0

  const followHistory = async (): Promise<void> => {
    for await (const fact of stream.readEvents(SEALS_ID, next)) {
      next = fact.revision + 1
      if (fact.type === 'FactsSealed') history.append(leafOf(sealText(fact.data)))
    }
  }

  /** The next facts, from the beginning of the log where it is not known how to come to them sooner. */
  const nextInterval = async (after: Position): Promise<UnsealedRange | undefined> => {
    const reached = await checkpoints.load(SEALER_CHECKPOINT)
    const from = reached?.position === after ? reached.checkpoint : undefined
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
    const interval = await nextInterval(after)
    if (!interval || interval.isIdle) return false
    const key = await keyFor(before)
    await followHistory()
    const { tree } = interval
    const number = (before.newest?.number ?? 0) + 1
    if (history.size !== number - 1) throw new Error(`The log has ${history.size} seals, but the newest is ${number - 1}`)
    const previous = before.newest && sealHash(before.newest)
    const body = {
      number,
      first: interval.first,
      last: interval.last,
      count: tree.size,
      root: tree.root().toString('hex'),
      previous,
      sealedAt: now(),
      keyId: key.id,
    }
    const unsigned = { ...body, history: history.rootWith(leafOf(sealText(body))).toString('hex') }
    const seal: SealData = { ...unsigned, signature: key.sign(signedText(unsigned)) }
    await stream.decide(SEALS_ID, systemContext('sealer', `seal ${number}`), (state) => recordSeal(state, seal))
    await checkpoints.save({ consumer: SEALER_CHECKPOINT, checkpoint: interval.checkpoint, position: interval.last })
    await publishedSeals.publish(seal, interval.leaves)
    return true
  }

  /** What could not be written outside when it was made is written now. */
  const completeOutside = async (): Promise<void> => {
    const { newest } = (await stream.load(SEALS_ID)).state
    const next = (newest?.number ?? 0) + 1
    // Another process may have made it just now: then the log has it too.
    if ((await publishedSeals.seal(next)) && ((await stream.load(SEALS_ID)).state.newest?.number ?? 0) < next) throw new LostSeals(next)
    const missing: number[] = []
    for (let number = newest?.number ?? 0; number > 0 && !(await publishedSeals.seal(number)); number--) missing.push(number)
    if (missing.length === 0) return
    for await (const fact of stream.readEvents(SEALS_ID))
      if (fact.type === 'FactsSealed' && missing.includes(fact.data.number)) await publishedSeals.publish(fact.data, await readLeaves(eventStore, fact.data))
  }

  const sealAll = async (): Promise<number> => {
    await completeOutside()
    let made = 0
    while (await sealNext()) made += 1
    return made
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

/** The hash by which the next seal names this one, hex. */
export function sealHash(seal: SealData): string {
  return hash('sha256', signedText(seal))
}

/** The leaves of the facts that a seal is over, read from the log. */
export async function readLeaves(eventStore: Pick<EventStore, 'subscribe'>, { first, last }: Pick<SealData, 'first' | 'last'>): Promise<PublishedLeaf[]> {
  const leaves: PublishedLeaf[] = []
  const stopped = new AbortController()
  for await (const { events, position, caughtUp } of eventStore.subscribe(undefined, { signal: stopped.signal })) {
    for (const event of events) {
      const at = Number(event.position)
      if (at >= Number(first) && at <= Number(last)) leaves.push({ hash: leafOfEvent(event), id: event.id })
    }
    if (caughtUp || Number(position) >= Number(last)) stopped.abort()
  }
  return leaves
}

/** The first fact of the stream introduces the first key; later ones do so when another follows. */
const isKeySuccession = ({ type, revision }: StoredEvent) => type === 'SealingKeyIntroduced' && revision > 0

const isSeal = ({ stream }: StoredEvent) => stream === streamName(sealStreams, SEALS_ID)
