import { comparePositions, type EventStore, type Position } from '../../../infra/event-store/event-store.ts'
import type { FileStore } from '../../../infra/file-store/file-store.ts'
import type { KeyStore } from '../../../infra/key-store/key-store.ts'
import { userId } from '../../domain/ids.ts'
import { Refused } from '../../event-sourcing/refusal.ts'
import { personKeys } from '../../event-sourcing/crypto-shredding/person-keys.ts'
import type { Secrets } from '../../keys/derived-secrets.ts'
import { filesOf } from '../../use-cases/user-deletion.ts'
import type { SealsOutside } from '../../proof/published-seals.ts'
import { signingKeys } from '../../proof/seal-signing.ts'
import { type Verified, verifyLog } from '../../proof/log-verification.ts'
import { compareLogs, copyLog, factsOf } from './copy-log.ts'
import { copyFiles, copyFirstKeys, copyKeys, copySeals, Leaning } from './copy-keys-and-files.ts'
import type { Destination } from './migration-stores.ts'

/** What is copied. */
export interface Origin {
  readonly eventStore: EventStore
  readonly keyStore: KeyStore
  readonly fileStore: FileStore
  readonly sealsOutside: SealsOutside
  readonly secrets: Pick<Secrets, 'wrapping'>
}

export interface Moved {
  readonly facts: number
  readonly added: number
  readonly keys: number
  readonly files: number
  readonly seals: number
  /** Files that facts name and that are not there, or are not what was recorded, where they come from. */
  readonly missing: readonly string[]
  /** The last fact that was copied. */
  readonly position: Position
  /** The copy's own log, against its own seals and keys. */
  readonly verified: Verified
}

/**
 * Copies an installation and verifies the copy, fact by fact. It may be cut anywhere and be done again: what is there is
 * held against what should be, and it goes on.
 *
 * First the keys that an installation makes for itself, so that nobody who starts there too early makes others. Then the log, up
 * to where it ended when this began: what a fact needs, its person's key and its file, was made before it, and so is found
 * afterwards. Keys are asked for once more at the end, for somebody may have been erased meanwhile.
 *
 * @throws {NotTheSame} {@link Refused} when the copy holds something else.
 */
export async function move(origin: Origin, to: Destination, onProgress?: (facts: number) => void): Promise<Moved> {
  const { eventStore, keyStore, fileStore, sealsOutside } = origin
  const position = await eventStore.end()
  const leaning = new Leaning()
  let [facts, added] = [0, 0]
  await to.log?.begin()
  if (to.keys) await copyFirstKeys(keyStore, to.keys)
  if (to.log) {
    const copied = await copyLog(eventStore, to.log, { upTo: position, onFact: (fact) => leaning.take(fact), onProgress })
    facts = copied.facts
    added = copied.added
  } else {
    for await (const fact of factsOf(eventStore, position)) {
      leaning.take(fact)
      facts += 1
    }
  }

  let destroyed: ReadonlySet<string> = (await copyKeys(keyStore, to.keys ?? keyStore, leaning.persons)).destroyed
  const kept = to.files ? await copyFiles(fileStore, to.files, leaning.files, destroyed) : { files: 0, missing: [] }
  const keys = await copyKeys(keyStore, to.keys ?? keyStore, leaning.persons)
  if (to.files) for (const person of keys.destroyed) if (!destroyed.has(person)) await to.files.removeAll(filesOf(userId.parse(person)))
  destroyed = keys.destroyed
  const persons = new Map(leaning.files.map(({ file, person }) => [file, person]))
  const missing = kept.missing.filter((file) => !destroyed.has(persons.get(file) ?? ''))
  const seals = to.seals ? await copySeals(sealsOutside, to.seals, leaning.seals, eventStore) : 0

  if (to.log) {
    const numbering = { stands: new Array<number>(), called: new Array<number>() }
    await compareLogs(eventStore, to.log.store, position, (fact, copy) => {
      numbering.called.push(Number(fact.position))
      numbering.stands.push(Number(copy.position))
    })
    if (!to.log.isSnapshot && comparePositions(await eventStore.end(), position) !== 0)
      throw new Refused('conflict', 'The portal has recorded more meanwhile: stop it and run this again, it goes on from here')
    await to.log.finish(numbering)
  }
  const verified = await verifyLog({
    eventStore: to.log?.finished ?? eventStore,
    outside: to.seals ?? sealsOutside,
    keys: await signingKeys(personKeys(to.keys ?? keyStore, origin.secrets)),
  })
  return { facts, added, keys: to.keys ? keys.keys : 0, files: kept.files, seals, missing, position, verified }
}
