import { setTimeout as delay } from 'node:timers/promises'
import { type Checkpoint, type Position, toCheckpoint, toPosition } from '#infra/event-store/event-store.ts'
import { type Connection, falseIfDuplicate } from '#infra/mongodb/mongodb-connection.ts'
import { createCheckpointWaiters } from './checkpoint-waiters.ts'
import type { CheckpointStore, ConsumerCheckpoint, SavedCheckpoint } from './read-model-store.ts'

/**
 * The polling interval for other processes' checkpoints while a caller waits, in ms; it grows while nothing changes.
 */
const LOOK_AFTER_MS = { first: 4, factor: 1.25, longest: 50 }

/** What the stores of one process notify each other of. */
interface Neighbour {
  note(consumer: string, saved: SavedCheckpoint | undefined): void
  wakeAll(): void
}

/** The stores open in this process, by the addresses of their servers. */
const storesOf = new Map<string, Set<Neighbour>>()

interface Stored {
  readonly _id: string
  readonly checkpoint: Checkpoint
  readonly position: Position
  /** The position, padded to one length, so that texts compare like numbers. */
  readonly order: string
}

/**
 * Checkpoints in MongoDB. Only a replica set reports changes, so this polls while a caller waits: the few consumers'
 * checkpoints cost little to read. The result is compared with the last known one, so nothing is missed between a poll
 * and the wait that follows it.
 */
export function createMongodbCheckpointStore(
  { database, run }: Connection,
  url: string,
): CheckpointStore & { close(): void } {
  const readers = database.collection<Stored>('readers')
  const known = new Map<string, string | undefined>()
  const waiters = createCheckpointWaiters()
  let interval = LOOK_AFTER_MS.first
  let isLooking = false
  let isClosed = false

  const wakeAll = (): void => waiters.end()
  const note = (consumer: string, saved: SavedCheckpoint | undefined): void =>
    void known.set(consumer, saved && `${saved.position} ${saved.checkpoint}`)

  const readAll = async (): Promise<Map<string, SavedCheckpoint>> => {
    const found = await run(() => readers.find().toArray())
    return new Map(found.map((stored) => [stored._id, toSavedCheckpoint(stored)]))
  }

  const look = async (): Promise<void> => {
    if (isLooking) return
    isLooking = true
    try {
      for (let isFirst = true; !waiters.isEmpty() && !isClosed; isFirst = false) {
        let isNews = false
        for (const [consumer, saved] of await readAll()) {
          const before = known.get(consumer)
          // A consumer that was not queried before may have reached this long ago.
          const isNew = isFirst && !known.has(consumer)
          note(consumer, saved)
          if (!isNew && known.get(consumer) !== before) isNews = true
        }
        if (isNews) wakeAll()
        await delay(interval, undefined, { ref: false })
        interval = Math.min(interval * LOOK_AFTER_MS.factor, LOOK_AFTER_MS.longest)
      }
    } catch (error) {
      waiters.end(error)
    } finally {
      isLooking = false
    }
    if (!waiters.isEmpty() && !isClosed) void look()
  }

  const here = { note, wakeAll }
  const inThisProcess = storesOf.get(url) ?? new Set()
  storesOf.set(url, inThisProcess)
  inThisProcess.add(here)

  /** Never backwards: a worker that was paused and replaced may resume and save an old checkpoint. */
  const saveOne = async ({ consumer, checkpoint, position }: ConsumerCheckpoint): Promise<void> => {
    const fields = { checkpoint, position, order: position.padStart(20, '0') }
    const forward = { _id: consumer, order: { $lte: fields.order } }
    const isSaved =
      (await run(() => readers.updateOne(forward, { $set: fields }))).matchedCount > 0 ||
      (await run(() => readers.insertOne({ _id: consumer, ...fields }).then(() => true, falseIfDuplicate)))
    if (!isSaved) return
    for (const each of inThisProcess) {
      each.note(consumer, { checkpoint, position })
      each.wakeAll()
    }
  }

  return {
    async load(consumer) {
      const stored = await run(() => readers.findOne({ _id: consumer }))
      const saved = stored ? toSavedCheckpoint(stored) : undefined
      note(consumer, saved)
      return saved
    },
    async loadAll() {
      const all = await readAll()
      for (const [consumer, saved] of all) note(consumer, saved)
      return all
    },
    async save(...checkpoints) {
      await Promise.all(checkpoints.map(saveOne))
    },
    async delete(consumer) {
      await run(() => readers.deleteOne({ _id: consumer }))
    },

    saved(ms) {
      interval = LOOK_AFTER_MS.first
      const waited = waiters.wait(ms)
      void look()
      return waited
    },

    close() {
      isClosed = true
      inThisProcess.delete(here)
      if (inThisProcess.size === 0) storesOf.delete(url)
      wakeAll()
    },
  }
}

function toSavedCheckpoint({ checkpoint, position }: Stored): SavedCheckpoint {
  return { checkpoint: toCheckpoint(checkpoint), position: toPosition(position) }
}
