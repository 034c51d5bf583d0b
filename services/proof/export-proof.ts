import type { EventStore, StoredEvent } from '../../infra/event-store/event-store.ts'
import type { SealData, SealingKey } from '../domain/seal/seal.ts'
import type { Repositories } from '../event-sourcing/aggregate-repository.ts'
import { seals as sealStreams } from '../domain/streams.ts'
import { type Seal, type SealedEvent, sealText } from './export-verification.ts'
import { leafOfEvent, sealedEventOf } from './stored-event-bytes.ts'
import { leafOf, MerkleTree } from './merkle-tree.ts'
import type { PublishedSeals } from './published-seals.ts'
import { readLeaves, SEALS_ID } from './sealer.ts'

/** The proof in an export: for each event its path to a seal, and for each seal its path to the newest. */
export interface Proof {
  readonly keys: readonly { readonly id: string; readonly publicKey: string; readonly endorsement: string | null }[]
  /** The seals of the events and the newest seal, oldest first. `consistency` leads from the previous one in this list. */
  readonly seals: readonly { readonly seal: Seal; readonly path: readonly string[]; readonly consistency: readonly string[] }[]
  readonly facts: readonly ProvenEvent[]
}

export interface ProvenEvent extends SealedEvent {
  /** Null where it is withheld and only its hash is shown. */
  readonly data: string | null
  /** The same. */
  readonly metadata: string | null
  /** Null while the event is not sealed. */
  readonly seal: number | null
  readonly index: number
  readonly path: readonly string[]
}

export interface ProofDependencies {
  readonly eventStore: Pick<EventStore, 'subscribe'>
  readonly repositories: Repositories
  readonly publishedSeals: Pick<PublishedSeals, 'leaves'>
}

/** The format that exports name, known to export-verification.ts. */
export const EXPORT_FORMAT = 'proofdesk export 1'

/** All sealing keys that were ever introduced, oldest first. */
export async function sealingKeys(repositories: Repositories): Promise<readonly SealingKey[]> {
  return (await repositories.of(sealStreams).load(SEALS_ID)).state.keys
}

/**
 * Events whose data is withheld: it holds nothing a reader could read, but hashes of secrets and addresses. The hash of the
 * data still proves that the event is the sealed one.
 */
const WITHHELD: ReadonlySet<string> = new Set([
  'UserRegistered',
  'UserCreated',
  'ProfileChanged',
  'PasswordChanged',
  'PasswordReset',
  'PasswordRehashed',
  'EmailRevertOffered',
  'PasswordResetRequested',
  'EmailClaimLapsed',
])

/** Proves events, in the order of the log. `withholds` selects events whose metadata is hidden: from traders, who decided. */
export async function proofOf(events: readonly StoredEvent[], withholds: (event: StoredEvent) => boolean, parts: ProofDependencies): Promise<Proof> {
  const { repositories, eventStore, publishedSeals } = parts
  const seals = await sealsOf(repositories)
  const history = new MerkleTree(seals.map((seal) => leafOf(sealText(seal))))
  const trees = new Map<number, { readonly tree: MerkleTree; readonly indexes: ReadonlyMap<string, number> }>()

  const treeOf = async (seal: SealData) => {
    const cached = trees.get(seal.number)
    if (cached) return cached
    const leaves = (await publishedSeals.leaves(seal.number))?.map(({ hash }) => hash)
    const publishedTree = leaves && new MerkleTree(leaves)
    // Published leaves are faster to read; the log is the fallback when they do not match the seal.
    const isIntact = publishedTree?.root().toString('hex') === seal.root
    const tree = publishedTree && isIntact ? publishedTree : new MerkleTree((await readLeaves(eventStore, seal)).map(({ hash }) => hash))
    const indexes = new Map(tree.leaves.map((leaf, index) => [Buffer.from(leaf).toString('hex'), index]))
    const indexed = { tree, indexes }
    trees.set(seal.number, indexed)
    return indexed
  }

  const facts: ProvenEvent[] = []
  const used = new Set<number>(seals.length > 0 ? [seals.length] : [])
  for (const event of events) {
    const { metadataHash, dataHash, ...identity } = sealedEventOf(event)
    const { position } = identity
    const data = WITHHELD.has(event.type) ? null : event.data
    const content = { ...identity, data, dataHash, metadata: withholds(event) ? null : event.metadata, metadataHash }
    const seal = sealCovering(seals, Number(position))
    const found = seal && (await treeOf(seal))
    const index = found?.indexes.get(leafOfEvent(event).toString('hex'))
    if (seal) used.add(seal.number)
    // An event missing under its seal is exported without a path: verification reports it.
    const path = found && index !== undefined ? found.tree.inclusion(index).map(hex) : []
    facts.push({ ...content, seal: seal?.number ?? null, index: index ?? 0, path })
  }

  const included = seals.filter(({ number }) => used.has(number))
  return {
    keys: (await sealingKeys(repositories)).map(({ id, publicKey, endorsement }) => ({ id, publicKey, endorsement })),
    seals: included.map((seal, n) => {
      const before = included[n - 1]
      const upToHere = new MerkleTree(history.leaves.slice(0, seal.number))
      return { seal, path: history.inclusion(seal.number - 1).map(hex), consistency: before ? upToHere.consistency(before.number).map(hex) : [] }
    }),
    facts,
  }
}

async function sealsOf(repositories: Repositories): Promise<readonly SealData[]> {
  const seals: SealData[] = []
  for await (const event of repositories.of(sealStreams).readEvents(SEALS_ID)) if (event.type === 'FactsSealed') seals.push(event.data)
  return seals
}

/** Finds the seal of a position by binary search: seals cover consecutive ranges. */
function sealCovering(seals: readonly SealData[], position: number): SealData | undefined {
  let [low, high] = [0, seals.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (Number(seals[middle]?.last) < position) low = middle + 1
    else high = middle
  }
  return seals[low]
}

const hex = (hash: Buffer) => hash.toString('hex')
