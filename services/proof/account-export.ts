import { createHash, hash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { StoredEvent } from '#infra/event-store/event-store.ts'
import { type SealingKey, loadSeals } from './seal.ts'
import type { Repositories } from '#services/event-sourcing/aggregate-repository.ts'
import type { PersonKeys } from '#services/event-sourcing/crypto-shredding/person-keys.ts'
import { ShortStream } from '#services/event-sourcing/missing-events.ts'
import { canonicalJson } from './canonical-json.ts'
import {
  type AccountExport,
  EXPORT_FORMAT,
  type ExportedEvent,
  signedExportText,
  withheldTypes,
} from './export-format.ts'
import { type Bytes, fromBytes, keyOf, toBytes } from './head-map.ts'
import { signingKey, signingKeys } from './seal-signing.ts'
import type { SealedSize } from './sealed-size.ts'
import { beginningOf, leafOfEvent, sealedEventOf } from './stored-event-bytes.ts'
import type { ProvenHeads, SignedTree, TransparencyLog } from './transparency-log.ts'

export interface ExportDependencies {
  readonly transparencyLog: Pick<TransparencyLog, 'indexesOf' | 'inclusionOf' | 'headsOf'>
  readonly repositories: Repositories
  readonly personKeys: Pick<PersonKeys, 'get' | 'require' | 'getOrCreate'>
  readonly sealedSize: Pick<SealedSize, 'begin'>
}

export interface ExportedAccount {
  readonly account: string
  /**
   * The newest checkpoint, read before the events: these go at least as far. Undefined before the first.
   */
  readonly sealed: SignedTree | undefined
  /** The streams of the account, which the file holds from their first event to their last. */
  readonly streams: readonly string[]
  /** In the order of the log; those of the account's streams are complete. */
  readonly events: readonly StoredEvent[]
  /** Whether the metadata of an event, which says who decided, is left out. */
  withholdsMetadata(event: StoredEvent): boolean
  /** For each of some events, the disclosures of the personal fields that the reader may see. */
  disclosuresOf(events: readonly StoredEvent[]): Promise<readonly (readonly string[])[]>
}

/** Events and hashes that are written without a pause: some ms of work. */
const EVENTS_AT_ONCE = 100
const HASHES_AT_ONCE = 5_000

/**
 * The file of an account with its proof, in pieces: its canonical form, signed with the newest sealing key. It pauses
 * between pieces, so that a long history does not hold up other requests.
 *
 * @throws {MissingEvents} before the first piece, when the log does not have all events any more that were sealed.
 */
export async function* accountExport(
  { account, sealed, streams, events, withholdsMetadata, disclosuresOf }: ExportedAccount,
  parts: ExportDependencies,
): AsyncGenerator<string> {
  const { transparencyLog } = parts
  const size = sealed?.size ?? 0
  const heads = sealed && (await transparencyLog.headsOf(streams, sealed.heads))
  if (heads) checkComplete(streams, events, heads)
  const indexes = sealed ? await transparencyLog.indexesOf(events, size) : []
  const covered = indexes.filter((index) => index !== undefined)
  // The heads are the last leaf.
  const inclusion = sealed ? await transparencyLog.inclusionOf([...covered, size - 1], size) : []
  const keys = await exportedKeys(parts)
  const key = (await signingKeys(parts.personKeys)).find(({ id }) => id === keys.at(-1)?.id)
  if (!key) throw new Error('The newest sealing key is not in the key store')

  const content = createHash('sha256')
  const written = (piece: string) => {
    content.update(piece)
    return piece
  }
  const timestamp = sealed?.timestamp && { checkpointTimestamp: sealed.timestamp.toString('base64') }
  const head = { account, checkpoint: sealed?.note ?? null, ...timestamp }
  yield written(`${canonicalJson(head).slice(0, -1)},"events":[`)
  for (let from = 0; from < events.length; from += EVENTS_AT_ONCE) {
    const some = events.slice(from, from + EVENTS_AT_ONCE)
    const disclosures = await disclosuresOf(some)
    const piece = some.map((event, n) =>
      canonicalJson(exported(event, indexes[from + n], withholdsMetadata(event), disclosures[n])),
    )
    yield written(`${from === 0 ? '' : ','}${piece.join(',')}`)
    await nextTurn()
  }
  const middle = { format: EXPORT_FORMAT, heads: heads ? exportedHeads(streams, heads) : null }
  yield written(`],${canonicalJson(middle).slice(1, -1)},"inclusion":[`)
  for (let from = 0; from < inclusion.length; from += HASHES_AT_ONCE) {
    const some = inclusion.slice(from, from + HASHES_AT_ONCE).map((hash) => hash.toString('base64'))
    yield written(`${from === 0 ? '' : ','}${canonicalJson(some).slice(1, -1)}`)
    await nextTurn()
  }
  const tail = written(`],${canonicalJson({ keys }).slice(1)}`)
  // The signature is the last name of the canonical form, so it only goes before the closing brace.
  yield `${tail.slice(0, -1)},${canonicalJson({ signature: key.sign(signedExportText(content.digest('hex'))) }).slice(1)}`
}

/** Each stream has every event up to its head. @throws {ShortStream} */
function checkComplete(streams: readonly string[], events: readonly StoredEvent[], { proofs }: ProvenHeads): void {
  for (const [n, stream] of streams.entries()) {
    const head = proofs[n]?.head
    const sealed = head?.key === keyOf(stream) ? head : undefined
    const own = events.filter((event) => event.stream === stream)
    const gap = own.findIndex(({ revision }, at) => revision !== at)
    const last = own[sealed?.revision ?? -1]
    if (gap >= 0) throw new ShortStream(stream, gap - 1, Math.max(gap, sealed?.revision ?? 0))
    if (sealed && !(last && toBytes(leafOfEvent(last)) === sealed.leaf))
      throw new ShortStream(stream, own.length - 1, sealed.revision)
  }
}

function exportedHeads(streams: readonly string[], { event, proofs }: ProvenHeads): AccountExport['heads'] {
  const { position, revision, id, metadata, data } = event
  return {
    event: { position, revision, id, ...beginningOf(metadata), data, metadataHash: hash('sha256', metadata) },
    streams: proofs.map(({ head, siblings }, n) => ({
      stream: streams[n] ?? '',
      found: head ? { key: base64(head.key), revision: head.revision, leaf: base64(head.leaf) } : null,
      siblings: siblings.map((sibling) => sibling.toString('base64')),
    })),
  }
}

const base64 = (bytes: Bytes) => fromBytes(bytes).toString('base64')

/** All sealing keys that were ever introduced, oldest first. */
export async function sealingKeys(repositories: Repositories): Promise<readonly SealingKey[]> {
  return (await loadSeals(repositories)).keys
}

/** The keys of the log, or the first one before anything was sealed. */
async function exportedKeys({
  repositories,
  personKeys,
  sealedSize,
}: Pick<ExportDependencies, 'repositories' | 'personKeys' | 'sealedSize'>): Promise<AccountExport['keys']> {
  const introduced = await sealingKeys(repositories)
  if (introduced.length > 0) return introduced.map(({ id, publicKey, endorsement }) => ({ id, publicKey, endorsement }))
  await sealedSize.begin()
  const { id, publicKey } = await signingKey(personKeys, 1, 0)
  return [{ id, publicKey, endorsement: null }]
}

function exported(
  event: StoredEvent,
  index: number | undefined,
  withholdsMetadata: boolean,
  disclosed: readonly string[] = [],
): ExportedEvent {
  const { dataHash, metadataHash, ...sealed } = sealedEventOf(event)
  const withholdsData = withheldTypes.has(event.type)
  return {
    ...sealed,
    index: index ?? null,
    data: withholdsData ? null : event.data,
    dataHash: withholdsData ? dataHash : null,
    metadata: withholdsMetadata ? null : event.metadata,
    metadataHash: withholdsMetadata ? metadataHash : null,
    // Disclosures belong to data that commits to them.
    disclosures: withholdsData ? [] : [...disclosed],
  }
}
