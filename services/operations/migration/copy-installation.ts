import { comparePositions, type EventStore, type Position, type StoredEvent } from '#infra/event-store/event-store.ts'
import type { FileStore } from '#infra/file-store/file-store.ts'
import type { KeyStore } from '#infra/key-store/key-store.ts'
import { userId } from '#services/framework/ids.ts'
import type { EventRegistry } from '#services/event-sourcing/event-registry.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import { createPersonKeys } from '#services/event-sourcing/crypto-shredding/person-keys.ts'
import type { Secrets } from '#services/process/keys/derived-secrets.ts'
import { userFilesPrefix } from '#services/trading/certificates/server/certificate-files.ts'
import { copyPublishedTree, type PublishedTree } from '#services/proof/published-tree.ts'
import { createSealedSize } from '#services/proof/sealed-size.ts'
import { signingKeys } from '#services/proof/seal-signing.ts'
import { type LogVerification, verifyLog } from '#services/proof/log-verification.ts'
import { compareLogs, copyLog, readEvents } from './copy-log.ts'
import { copyFiles, copyInstallationKeys, copyKeys, ReferencedArtifacts } from './copy-keys-and-files.ts'
import type { Destination } from './migration-stores.ts'

/** The installation to copy. */
export interface MigrationSource {
  readonly registry: Pick<EventRegistry, 'personIdOf'>
  readonly eventStore: EventStore
  readonly keyStore: KeyStore
  readonly fileStore: FileStore
  readonly publishedTree: PublishedTree
  readonly secrets: Pick<Secrets, 'wrappingKey'>
}

export interface CopyResult {
  readonly events: number
  readonly added: number
  readonly keys: number
  readonly files: number
  readonly seals: number
  /** Files that events name but the source lacks, or has with another content. */
  readonly missing: readonly string[]
  /** The positions of the first and the last copied event. */
  readonly first: Position
  readonly position: Position
  /** The copied log, verified against its own seals and keys. */
  readonly verified: LogVerification
}

/**
 * Copies an installation and verifies the copy event by event. After an interruption it is repeated: it compares what
 * is there already and continues.
 *
 * The keys of the installation come first, so that a process that starts there too early creates no others. Then the
 * log, up to its present end, and then persons' keys and files, which are older than the events that need them. Keys
 * are copied once more at the end, because a person may have been erased meanwhile.
 *
 * @throws {CopyMismatch} {@link Refused} when the copy holds something else.
 */
export async function copyInstallation(
  origin: MigrationSource,
  to: Destination,
  onProgress?: (events: number) => void,
): Promise<CopyResult> {
  const { registry, eventStore, keyStore, fileStore, publishedTree } = origin
  const position = await eventStore.end()
  const references = new ReferencedArtifacts(registry)
  let [events, added] = [0, 0]
  let first = position
  const onEvent = (event: StoredEvent): void => {
    if (comparePositions(event.position, first) < 0) first = event.position
    references.add(event)
  }
  await to.log?.begin()
  if (to.keys) await copyInstallationKeys(keyStore, to.keys)
  if (to.log) {
    const copied = await copyLog(eventStore, to.log, { upTo: position, onEvent, onProgress })
    events = copied.events
    added = copied.added
  } else {
    for await (const event of readEvents(eventStore, position)) {
      onEvent(event)
      events += 1
    }
  }

  let destroyed: ReadonlySet<string> = (await copyKeys(keyStore, to.keys ?? keyStore, references.personIds)).destroyed
  const kept = to.files ? await copyFiles(fileStore, to.files, references.files, destroyed) : { files: 0, missing: [] }
  const keys = await copyKeys(keyStore, to.keys ?? keyStore, references.personIds)
  if (to.files)
    for (const person of keys.destroyed)
      if (!destroyed.has(person)) await to.files.removeAll(userFilesPrefix(userId.parse(person)))
  destroyed = keys.destroyed
  const persons = new Map(references.files.map(({ file, person }) => [file, person]))
  const missing = kept.missing.filter((file) => !destroyed.has(persons.get(file) ?? ''))
  // As the copy is: the source may have sealed more meanwhile.
  if (to.keys)
    await createSealedSize(to.keys, origin.secrets).write({
      size: references.checkpoints.at(-1) ?? 0,
      restorations: references.restorations,
    })
  const seals = to.tree ? await copyPublishedTree(publishedTree, to.tree, references.checkpoints) : 0

  if (to.log) {
    const mapping = { currentPositions: new Array<number>(), originalPositions: new Array<number>() }
    await compareLogs(eventStore, to.log.store, position, (event, copy) => {
      mapping.originalPositions.push(Number(event.position))
      mapping.currentPositions.push(Number(copy.position))
    })
    if (!to.log.isSnapshot && comparePositions(await eventStore.end(), position) !== 0)
      throw new Refused(
        'conflict',
        'The portal has recorded more meanwhile: stop it and run this again, it continues from here',
      )
    await to.log.finish(mapping)
  }
  const verified = await verifyLog({
    eventStore: to.log?.finished ?? eventStore,
    publishedTree: to.tree ?? publishedTree,
    keys: await signingKeys(createPersonKeys(to.keys ?? keyStore, origin.secrets)),
  })
  return { events, added, keys: to.keys ? keys.keys : 0, files: kept.files, seals, missing, first, position, verified }
}
