import { hash } from 'node:crypto'
import type { EventStore, StoredEvent } from '../infra/event-store/event-store.ts'
import { introduceSealingKey, type SealData } from '../services/domain/seal/seal.ts'
import { seals as sealStreams, streamName } from '../services/domain/streams.ts'
import type { Repositories } from '../services/event-sourcing/aggregate-repository.ts'
import { systemContext } from '../services/event-sourcing/codec/metadata.ts'
import type { PersonKeys } from '../services/event-sourcing/crypto-shredding/person-keys.ts'
import { sealText, signedText } from '../services/proof/signed-texts.ts'
import { GrowingMerkleTree, leafOf } from '../services/proof/merkle-tree.ts'
import { readLeaves } from '../services/proof/old-seals.ts'
import type { PublishedSeals } from '../services/proof/published-seals.ts'
import { signingKey } from '../services/proof/seal-signing.ts'
import { SEALS_ID } from '../services/proof/seal-stream.ts'
import { storedEvents } from './stores.ts'

/** Seals all events as versions up to e747b87 did. Returns the number of new seals. */
export async function sealAsBefore(parts: {
  readonly eventStore: EventStore
  readonly repositories: Repositories
  readonly personKeys: Pick<PersonKeys, 'getOrCreate'>
  readonly publishedSeals: PublishedSeals
}): Promise<number> {
  const stream = parts.repositories.of(sealStreams)
  const { keys } = (await stream.load(SEALS_ID)).state
  const seals: SealData[] = []
  for await (const { type, data } of stream.readEvents(SEALS_ID)) if (type === 'FactsSealed') seals.push(data)
  const before = seals.at(-1)
  const first = String(Number(before?.last ?? 0) + 1)
  const last = await parts.eventStore.end()
  const leaves = await readLeaves(parts.eventStore, { first, last })
  const isOfSealing = ({ stream, type, revision }: StoredEvent) =>
    stream === streamName(sealStreams, SEALS_ID) && !(type === 'SealingKeyIntroduced' && revision > 0)
  if ((await storedEvents(parts)).every((event) => Number(event.position) < Number(first) || isOfSealing(event))) return 0

  const key = await signingKey(parts.personKeys, Math.max(1, keys.length))
  const introduction = { keyId: key.id, publicKey: key.publicKey, endorsement: null }
  await stream.decide(SEALS_ID, systemContext('sealer', 'sealing'), (state) => introduceSealingKey(state, introduction))
  const tree = new GrowingMerkleTree()
  for (const { hash } of leaves) tree.append(hash)
  const number = seals.length + 1
  const range = { number, first, last, count: tree.size, root: tree.root().toString('hex') }
  const body = { ...range, previous: before ? sealHash(before) : null, sealedAt: Date.now(), keyId: key.id }
  const history = new GrowingMerkleTree()
  for (const seal of [...seals, body]) history.append(leafOf(sealText(seal)))
  const unsigned = { ...body, history: history.root().toString('hex') }
  const seal = { ...unsigned, signature: key.sign(signedText(unsigned)) }
  await stream.decide(SEALS_ID, systemContext('sealer', `seal ${number}`), () => [{ type: 'FactsSealed', data: seal }])
  await parts.publishedSeals.publish(seal, leaves)
  return 1
}

/** The hash of a seal, by which the next seal names it, hex. */
export function sealHash(seal: Omit<SealData, 'signature'>): string {
  return hash('sha256', signedText(seal))
}
