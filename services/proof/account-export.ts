import { createHash, hash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { StoredEvent } from '#infra/event-store/event-store.ts'
import { type SealingKey, seals as sealStreams } from './seal.ts'
import type { Repositories } from '#services/event-sourcing/aggregate-repository.ts'
import type { PersonKeys } from '#services/event-sourcing/crypto-shredding/person-keys.ts'
import { canonicalJson } from './canonical-json.ts'
import {
  type AccountExport,
  EXPORT_FORMAT,
  type ExportedEvent,
  signedExportText,
  withheldTypes,
} from './export-format.ts'
import { signingKey, signingKeys } from './seal-signing.ts'
import { SEALS_ID } from './seal-stream.ts'
import { beginningOf } from './stored-event-bytes.ts'
import type { TransparencyLog } from './transparency-log.ts'

export interface ExportDependencies {
  readonly transparencyLog: Pick<TransparencyLog, 'newest' | 'indexesOf' | 'inclusionOf'>
  readonly repositories: Repositories
  readonly personKeys: Pick<PersonKeys, 'get' | 'require' | 'getOrCreate'>
}

export interface ExportedAccount {
  readonly account: string
  /** In the order of the log; the streams of the account are complete. */
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
 */
export async function* accountExport(
  { account, events, withholdsMetadata, disclosuresOf }: ExportedAccount,
  parts: ExportDependencies,
): AsyncGenerator<string> {
  const { transparencyLog, repositories, personKeys } = parts
  const newest = await transparencyLog.newest()
  const size = newest?.size ?? 0
  const indexes = newest ? await transparencyLog.indexesOf(events, size) : []
  const inclusion = await inclusionOf(indexes, size, transparencyLog)
  const keys = await exportedKeys(repositories, personKeys)
  const key = (await signingKeys(personKeys)).find(({ id }) => id === keys.at(-1)?.id)
  if (!key) throw new Error('The newest sealing key is not in the key store')

  const content = createHash('sha256')
  const written = (piece: string) => {
    content.update(piece)
    return piece
  }
  const timestamp = newest?.timestamp && { checkpointTimestamp: newest.timestamp.toString('base64') }
  const head = { account, checkpoint: newest?.note ?? null, ...timestamp }
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
  yield written(`],${canonicalJson({ format: EXPORT_FORMAT }).slice(1, -1)},"inclusion":[`)
  for (let from = 0; from < inclusion.length; from += HASHES_AT_ONCE) {
    const some = inclusion.slice(from, from + HASHES_AT_ONCE).map((hash) => hash.toString('base64'))
    yield written(`${from === 0 ? '' : ','}${canonicalJson(some).slice(1, -1)}`)
    await nextTurn()
  }
  const tail = written(`],${canonicalJson({ keys }).slice(1)}`)
  // The signature is the last name of the canonical form, so it only goes before the closing brace.
  yield `${tail.slice(0, -1)},${canonicalJson({ signature: key.sign(signedExportText(content.digest('hex'))) }).slice(1)}`
}

async function inclusionOf(
  indexes: readonly (number | undefined)[],
  size: number,
  log: Pick<TransparencyLog, 'inclusionOf'>,
): Promise<readonly Buffer[]> {
  const covered = indexes.filter((index) => index !== undefined)
  return covered.length === 0 ? [] : log.inclusionOf(covered, size)
}

/** All sealing keys that were ever introduced, oldest first. */
export async function sealingKeys(repositories: Repositories): Promise<readonly SealingKey[]> {
  return (await repositories.of(sealStreams).load(SEALS_ID)).state.keys
}

/** The keys of the log, or the first one before anything was sealed. */
async function exportedKeys(
  repositories: Repositories,
  personKeys: Pick<PersonKeys, 'require' | 'getOrCreate'>,
): Promise<AccountExport['keys']> {
  const introduced = await sealingKeys(repositories)
  if (introduced.length > 0) return introduced.map(({ id, publicKey, endorsement }) => ({ id, publicKey, endorsement }))
  const { id, publicKey } = await signingKey(personKeys, 1, 0)
  return [{ id, publicKey, endorsement: null }]
}

function exported(
  event: StoredEvent,
  index: number | undefined,
  withholdsMetadata: boolean,
  disclosed: readonly string[] = [],
): ExportedEvent {
  const { position, stream, revision, id, type } = event
  const { at, version } = beginningOf(event.metadata)
  const withholdsData = withheldTypes.has(type)
  const [data, dataHash] = withholdsData ? [null, hash('sha256', event.data)] : [event.data, null]
  const [metadata, metadataHash] = withholdsMetadata ? [null, hash('sha256', event.metadata)] : [event.metadata, null]
  // Disclosures belong to data that commits to them.
  const disclosures = withholdsData ? [] : [...disclosed]
  return {
    index: index ?? null,
    position,
    stream,
    revision,
    id,
    type,
    at,
    version,
    data,
    dataHash,
    metadata,
    metadataHash,
    disclosures,
  }
}
