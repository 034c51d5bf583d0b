import type { EventStore } from '#infra/event-store/event-store.ts'
import { pause } from '#infra/async.ts'
import { Unavailable } from '#infra/failures.ts'
import type { Repositories } from '#services/event-sourcing/aggregate-repository.ts'
import type { PersonKeys } from '#services/event-sourcing/crypto-shredding/person-keys.ts'
import { MissingEvents } from '#services/event-sourcing/missing-events.ts'
import type { Log } from '#services/event-sourcing/process-log.ts'
import type { PublishedTree } from './published-tree.ts'
import { type Seals, hadSealed, loadSeals } from './seal.ts'
import { signingKeys, wasEverSealed } from './seal-signing.ts'
import type { SealedSize } from './sealed-size.ts'
import { committedRoot, type StreamHeads } from './stream-heads.ts'
import { parseCheckpoint } from './tree-checkpoint.ts'
import type { PolicyWitness } from './witness-policy.ts'
import { requestCosignedSize } from './witness-requests.ts'

/** The log ends before what was sealed of it: it was set back, and nobody recorded that. */
export class ShortLog extends MissingEvents {
  override readonly name = 'ShortLog'
  /** @param known How that is known: 'a checkpoint over 7 events is published'. */
  constructor(known: string, { newest }: Pick<Seals, 'newest'>) {
    super(
      `The log has lost events: ${known}, but the newest that the log knows is over ${newest?.size ?? 0}. It was set back, or cut off. If you restored a backup, do it with npx proofdesk restore, which records it; if not, see docs/proof-promises.md`,
    )
  }
}

export interface WitnessedStartDependencies {
  readonly repositories: Repositories
  readonly personKeys: Pick<PersonKeys, 'get'>
  readonly witnesses: readonly PolicyWitness[]
  readonly logOrigin: string
  readonly log: Pick<Log, 'warn'>
}

export interface LogStartDependencies {
  readonly repositories: Repositories
  readonly eventStore: Pick<EventStore, 'subscribe'>
  readonly streamHeads: Pick<StreamHeads, 'at'>
  readonly publishedTree: Pick<PublishedTree, 'checkpoint'>
  readonly sealedSize: Pick<SealedSize, 'read'>
  readonly personKeys: Pick<PersonKeys, 'get'>
  readonly log: Log
}

/** Why a portal does not start without the row that says how many events were sealed. */
export const lostSealedSize = `The key store lacks the row 'sealed', which says how many events of this log were sealed, or holds one that the portal did not write. Without it nobody would notice a log that was set back. See docs/operate.md, "Keys that are missing"`

/**
 * Compares the log with what is known of it elsewhere, and takes the heads of its streams into memory, so that no stream
 * is loaded that lost sealed events.
 *
 * @throws {MissingEvents} when the log is shorter than what was published, its streams do not end as they did, or it is
 * not known any more how much was sealed.
 */
export async function checkLogAtStart(parts: LogStartDependencies): Promise<void> {
  const { repositories, eventStore, streamHeads, sealedSize, personKeys, log } = parts
  // Before the log is read: it has what others know of it by now.
  const [published, noted] = [await publishedCheckpoint(parts), await sealedSize.read()]
  const state = await loadSeals(repositories)
  if (published !== undefined && !isKnown(state, published))
    throw new ShortLog(`a checkpoint over ${parseCheckpoint(published).size} events is published`, state)
  // Whoever sets the log back would remove the row too.
  if (!noted && (await wasEverSealed(state, personKeys))) throw new MissingEvents(lostSealedSize)
  if (noted && !hadSealed(state, noted.size, noted.restorations))
    throw new ShortLog(`the key store knows of ${noted.size} sealed events`, state)
  if (state.newest) await streamHeads.at(committedRoot(state.newest.heads), eventStore)
  for (const { at, from, to, reason } of state.restorations.slice(-1))
    log.warn({ at: new Date(at).toISOString(), from, to, reason }, 'The log was restored from a backup')
}

/**
 * Asks the witnesses how much of the log they have cosigned. One that does not answer is asked again with the next
 * checkpoint.
 *
 * @throws {ShortLog} when one has cosigned more than the log has.
 */
export async function checkLogWithWitnesses(parts: WitnessedStartDependencies, signal: AbortSignal): Promise<void> {
  const sizes = await cosignedSizes(parts, signal)
  const state = await loadSeals(parts.repositories)
  for (const [n, { name }] of parts.witnesses.entries())
    if (!hadSealed(state, sizes[n] ?? 0)) throw new ShortLog(`witness ${name} has cosigned ${sizes[n]} events`, state)
}

/** How much of the log each witness has cosigned; 0 where that is unknown. */
export async function cosignedSizes(
  { personKeys, witnesses, logOrigin, log }: Omit<WitnessedStartDependencies, 'repositories'>,
  signal: AbortSignal,
): Promise<number[]> {
  const key = (await signingKeys(personKeys)).at(-1)
  // Nothing was ever sealed.
  if (!key) return []
  return Promise.all(
    witnesses.map(async (witness) => {
      try {
        return witness.url ? await requestCosignedSize({ witness, origin: logOrigin, key, signal }) : 0
      } catch (error) {
        log.warn({ err: error, witness: witness.name }, 'A witness did not say how much of the log it has cosigned')
        return 0
      }
    }),
  )
}

/**
 * Follows the newest checkpoint, so that this process knows the ends of streams that others have sealed. A process that
 * seals knows them at once.
 */
export async function followCheckpoints(
  parts: LogStartDependencies,
  every: number,
  signal: AbortSignal,
): Promise<void> {
  const { repositories, eventStore, streamHeads, log } = parts
  while (!signal.aborted) {
    await pause(every, signal)
    if (signal.aborted) return
    try {
      const { newest } = await loadSeals(repositories)
      if (newest) await streamHeads.at(committedRoot(newest.heads), eventStore)
    } catch (error) {
      log.error({ err: error }, 'The log could not be compared with its newest checkpoint')
    }
  }
}

/** Whether the log continues a published checkpoint, or records that it was set back from it. */
function isKnown({ newest, restorations }: Seals, published: string): boolean {
  if (published === newest?.note || restorations.some(({ note }) => note === published)) return true
  // Verification and sealing compare older ones.
  return parseCheckpoint(published).size < (newest?.size ?? 0)
}

/** A published checkpoint that can't be reached now is compared before the next one. */
async function publishedCheckpoint({ publishedTree, log }: LogStartDependencies): Promise<string | undefined> {
  try {
    return await publishedTree.checkpoint()
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error
    log.warn({ err: error }, 'The log could not be compared with the published checkpoints')
    return undefined
  }
}
