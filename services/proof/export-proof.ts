import type { EventStore, StoredEvent } from '../../infra/event-store/event-store.ts'
import type { SealData, SealingKey } from '../domain/seal/seal.ts'
import type { Repositories } from '../event-sourcing/aggregate-repository.ts'
import { seals as sealStreams } from '../domain/streams.ts'
import { type Seal, type SealedEvent, sealText } from './export-verification.ts'
import { leafOfEvent, sealedEventOf } from './stored-event-bytes.ts'
import { leafOf, MerkleTree } from './merkle-tree.ts'
import type { PublishedSeals } from './published-seals.ts'
import { readLeaves, SEALS_ID } from './sealer.ts'

/** The proof that an export carries: for each fact its way to a seal, and for each seal its way to the newest. */
export interface Proof {
  readonly keys: readonly { readonly id: string; readonly publicKey: string; readonly endorsement: string | null }[]
  /** Those that are over the facts, and the newest, oldest first. `consistency` leads from the one before in this list. */
  readonly seals: readonly { readonly seal: Seal; readonly path: readonly string[]; readonly consistency: readonly string[] }[]
  readonly facts: readonly ProvenEvent[]
}

export interface ProvenEvent extends SealedEvent {
  /** Null where it is withheld: its hash then stands for it. */
  readonly data: string | null
  /** The same. */
  readonly metadata: string | null
  /** Null while no seal is over the fact. */
  readonly seal: number | null
  readonly index: number
  readonly path: readonly string[]
}

export interface ProofDependencies {
  readonly eventStore: Pick<EventStore, 'subscribe'>
  readonly repositories: Repositories
  readonly publishedSeals: Pick<PublishedSeals, 'leaves'>
}

/** The format that exports name, and that checks.ts knows. */
export const EXPORT_FORMAT = 'proofdesk export 1'

/** All sealing keys that were ever introduced, oldest first. */
export async function sealingKeys(repositories: Repositories): Promise<readonly SealingKey[]> {
  return (await repositories.of(sealStreams).load(SEALS_ID)).state.keys
}

/**
 * Facts whose data stays where it is: it holds nothing that a reader could read, but hashes of secrets and of addresses.
 * What they say is told; that they are what was sealed is proven by the hash of their data.
 */
const WITHHELD: ReadonlySet<string> = new Set([
  'UserRegistered',
  'UserCreated',
  'ProfileChanged',
  'PasswordChanged',
  'PasswordReset',
  'PasswordResetRequested',
  'EmailClaimLapsed',
])

/** Proves events, in the order of the log. `withholds` says of which the metadata is not shown: who decided, for a trader. */
export async function proofOf(events: readonly StoredEvent[], withholds: (event: StoredEvent) => boolean, parts: ProofDependencies): Promise<Proof> {
  const { repositories, eventStore, publishedSeals } = parts
  const seals = await sealsOf(repositories)
  const history = new MerkleTree(seals.map((seal) => leafOf(sealText(seal))))
  const trees = new Map<number, { readonly tree: MerkleTree; readonly indexes: ReadonlyMap<string, number> }>()

  const treeOf = async (seal: SealData) => {
    const known = trees.get(seal.number)
    if (known) return known
    const kept = (await publishedSeals.leaves(seal.number))?.map(({ hash }) => hash)
    const keptTree = kept && new MerkleTree(kept)
    // What is kept outside is quick to read, but the log is what is proven.
    const isWhole = keptTree?.root().toString('hex') === seal.root
    const tree = keptTree && isWhole ? keptTree : new MerkleTree((await readLeaves(eventStore, seal)).map(({ hash }) => hash))
    const indexes = new Map(tree.leaves.map((leaf, index) => [Buffer.from(leaf).toString('hex'), index]))
    const made = { tree, indexes }
    trees.set(seal.number, made)
    return made
  }

  const facts: ProvenEvent[] = []
  const used = new Set<number>(seals.length > 0 ? [seals.length] : [])
  for (const event of events) {
    const { metadataHash, dataHash, ...named } = sealedEventOf(event)
    const { position } = named
    const data = WITHHELD.has(event.type) ? null : event.data
    const told = { ...named, data, dataHash, metadata: withholds(event) ? null : event.metadata, metadataHash }
    const seal = sealCovering(seals, Number(position))
    const found = seal && (await treeOf(seal))
    const index = found?.indexes.get(leafOfEvent(event).toString('hex'))
    if (seal) used.add(seal.number)
    // An event that its seal does not know is shown with its seal and without a way to it: whoever checks finds it.
    const path = found && index !== undefined ? found.tree.inclusion(index).map(hex) : []
    facts.push({ ...told, seal: seal?.number ?? null, index: index ?? 0, path })
  }

  const shown = seals.filter(({ number }) => used.has(number))
  return {
    keys: (await sealingKeys(repositories)).map(({ id, publicKey, endorsement }) => ({ id, publicKey, endorsement })),
    seals: shown.map((seal, n) => {
      const before = shown[n - 1]
      const upToHere = new MerkleTree(history.leaves.slice(0, seal.number))
      return { seal, path: history.inclusion(seal.number - 1).map(hex), consistency: before ? upToHere.consistency(before.number).map(hex) : [] }
    }),
    facts,
  }
}

async function sealsOf(repositories: Repositories): Promise<readonly SealData[]> {
  const seals: SealData[] = []
  for await (const fact of repositories.of(sealStreams).readEvents(SEALS_ID)) if (fact.type === 'FactsSealed') seals.push(fact.data)
  return seals
}

/** Seals are over one stretch after the other. */
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
