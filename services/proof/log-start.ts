import type { EventStore } from '#infra/event-store/event-store.ts'
import { pause } from '#infra/async.ts'
import { Unavailable } from '#infra/failures.ts'
import type { Repositories } from '#services/event-sourcing/aggregate-repository.ts'
import { MissingEvents } from '#services/event-sourcing/missing-events.ts'
import type { Log } from '#services/event-sourcing/process-log.ts'
import type { PublishedTree } from './published-tree.ts'
import { type Seals, seals as sealStreams } from './seal.ts'
import { SEALS_ID } from './seal-stream.ts'
import { committedRoot, type StreamHeads } from './stream-heads.ts'
import { parseCheckpoint } from './tree-checkpoint.ts'

/** The log ends before a checkpoint that is published: it was set back, and nobody recorded that. */
export class ShortLog extends MissingEvents {
  override readonly name = 'ShortLog'
  constructor(published: number, newest: number) {
    super(
      `The log has lost events: a checkpoint over ${published} events is published, but the newest that the log knows is over ${newest}. It was set back, or cut off. If you restored a backup, do it with npx proofdesk restore, which records it; if not, see docs/proof-promises.md`,
    )
  }
}

export interface LogStartDependencies {
  readonly repositories: Repositories
  readonly eventStore: Pick<EventStore, 'subscribe'>
  readonly streamHeads: Pick<StreamHeads, 'at'>
  readonly publishedTree: Pick<PublishedTree, 'checkpoint'>
  readonly log: Log
}

/**
 * Compares the log with what is known of it elsewhere, and takes the heads of its streams into memory, so that no stream
 * is loaded that lost sealed events.
 *
 * @throws {MissingEvents} when the log is shorter than what was published, or its streams do not end as they did.
 */
export async function checkLogAtStart(parts: LogStartDependencies): Promise<void> {
  const { repositories, eventStore, streamHeads, log } = parts
  const { state } = await repositories.of(sealStreams).load(SEALS_ID)
  const published = await publishedCheckpoint(parts)
  if (published !== undefined && !isKnown(state, published))
    throw new ShortLog(parseCheckpoint(published).size, state.newest?.size ?? 0)
  if (state.newest) await streamHeads.at(committedRoot(state.newest.heads), eventStore)
  for (const { at, from, to, reason } of state.restorations.slice(-1))
    log.warn({ at: new Date(at).toISOString(), from, to, reason }, 'The log was restored from a backup')
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
      const { newest } = (await repositories.of(sealStreams).load(SEALS_ID)).state
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

/** What can't be reached now is compared before the next checkpoint. */
async function publishedCheckpoint({ publishedTree, log }: LogStartDependencies): Promise<string | undefined> {
  try {
    return await publishedTree.checkpoint()
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error
    log.warn({ err: error }, 'The log could not be compared with the published checkpoints')
    return undefined
  }
}
