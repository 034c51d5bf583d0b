import type { Checkpoint, Position } from '../../../infra/event-store/event-store.ts'
import type { ViewStore } from '../../../infra/read-model-store/read-model-store.ts'
import { type RecordedEvent, UnreadableEvent } from '../codec/event-codec.ts'
import { correlationOf } from '../codec/metadata.ts'
import type { Batch, Log, LogReader } from './shared-subscription.ts'
import { poisonOf } from '../projections/projection-runner.ts'

/** Somebody who reacts to facts, such as mail, and keeps a checkpoint of its own. */
export interface Follower {
  readonly name: string
  /** Where it goes on, undefined for the beginning of the log. */
  checkpoint(): Promise<Checkpoint | undefined>
  /**
   * Takes every batch after its checkpoint, in order, at least once: until it has saved the batch's checkpoint it may
   * get the batch again. When it throws it is asked for its checkpoint and goes on from there, for ever.
   */
  take(facts: readonly RecordedEvent[], batch: { readonly checkpoint: Checkpoint; readonly position: Position }): Promise<void>
  /** Looked at from time to time while nothing comes: whether its checkpoint is another than it left, so that it must go on from there. */
  wasMoved?(): Promise<boolean>
}

/** Batches that may wait for a slow follower before it has to read the log alone. */
const WAITING = 64

/** How often a follower that has nothing to do looks whether its checkpoint was moved, in ms. */
const LOOK_AGAIN = 3_000

/** Lets a follower read the log at its own pace, so that the views do not wait for it. */
export function followerReader(follower: Follower, viewStore: Pick<ViewStore, 'setAside'>, log: Log): LogReader {
  const { name } = follower
  let waiting: Batch[] = []
  let working: Promise<void> | undefined
  let room: (() => void) | undefined
  let fail: (error: unknown) => void = () => {}
  let looking: NodeJS.Timeout | undefined

  /** Who can't be asked is away, and says so when it is given something. */
  const look = async () => {
    const moved = await follower.wasMoved?.().catch(() => false)
    if (moved && looking && !working) fail(new Error('Its checkpoint is another than it left'))
  }

  const work = async () => {
    try {
      for (let batch = waiting[0]; batch; batch = waiting[0]) {
        await follower.take(await readable(batch), { checkpoint: batch.checkpoint, position: batch.position })
        waiting.shift()
        room?.()
      }
    } catch (error) {
      waiting = []
      room?.()
      fail(error)
    } finally {
      working = undefined
    }
  }

  /** What can't be read is noted: a follower holds up nothing for it. */
  const readable = async ({ entries }: Batch): Promise<RecordedEvent[]> => {
    const facts: RecordedEvent[] = []
    for (const entry of entries) {
      try {
        facts.push(entry.decode())
      } catch (error) {
        if (!(error instanceof UnreadableEvent)) throw error
        log.error(
          { reader: name, stream: entry.stored.stream, revision: entry.stored.revision, ...correlationOf(entry.stored), err: error },
          'An event was set aside',
        )
        await viewStore.setAside(poisonOf(name, entry.stored, error))
      }
    }
    return facts
  }

  return {
    name,
    get busy() {
      return waiting.length >= WAITING
    },
    async start(failLater) {
      fail = failLater
      clearInterval(looking)
      looking = follower.wasMoved && setInterval(() => void (working ?? look()), LOOK_AGAIN)
      return { checkpoint: await follower.checkpoint(), position: undefined }
    },
    async take(batch) {
      while (waiting.length >= WAITING) await new Promise<void>((resolve) => (room = resolve))
      waiting.push(batch)
      working ??= work()
    },
    async stop() {
      clearInterval(looking)
      looking = undefined
      waiting = waiting.slice(0, 1)
      await working
    },
  }
}
