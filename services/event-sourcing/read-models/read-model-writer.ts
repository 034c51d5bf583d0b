import { LRUCache } from 'lru-cache'
import { type Position, type StoredEvent, start } from '#infra/event-store/event-store.ts'
import type { ConsumerCheckpoint, ReadModelStore, StoredDocument } from '#infra/read-model-store/read-model-store.ts'
import { correlationOf } from '#services/event-sourcing/codec/metadata.ts'
import type { Log } from '#services/event-sourcing/process-log.ts'
import { readThrough } from '#services/event-sourcing/read-through.ts'
import { deadLetterOf } from '#services/event-sourcing/subscriptions/dead-letter.ts'
import type { Batch, Consumer } from '#services/event-sourcing/subscriptions/log-subscription.ts'
import { applyEventBatch, type RoutedBatch, routeBatch } from './apply-batch.ts'
import type { Projection } from './projection.ts'

/** For each read model that is kept up to date. The heap of a rebuild grows to about four times what is remembered. */
const CACHED_DOCUMENTS = 2_000
/** Another process writing the same documents is an accident; so many refusals in a row are a bug. */
const MAX_TRIES = 50

/** Fills one collection. */
export interface ReadModelWriter extends Consumer {
  /** All events up to here are in the collection. */
  readonly position: Position
  /** The log had no more when the last batch was read, and there are indexes: a collection is filled faster without. */
  readonly caughtUp: boolean
}

export type ProjectionStores = Pick<ReadModelStore, 'documents' | 'checkpoints' | 'deadLetters'>

/** Applies a projection to the log and writes the documents into a collection. */
export function createReadModelWriter(
  projection: Projection,
  collection: string,
  store: ProjectionStores,
  log: Log,
): ReadModelWriter {
  const { documents, checkpoints, deadLetters } = store
  // It spares reading them. When another process has changed one, the write is refused.
  const cached = new LRUCache<string, StoredDocument>({ max: CACHED_DOCUMENTS })
  let blockedStreams = new Map<string, number>()
  let position: Position = start
  let caughtUp = false

  const block = async (stored: StoredEvent, error: unknown) => {
    const { stream, revision, type } = stored
    log.error(
      { consumer: collection, stream, revision, type, ...correlationOf(stored), err: error },
      'An event became a dead letter',
    )
    await deadLetters.add(deadLetterOf(collection, stored, error))
    blockedStreams.set(stream, revision)
  }

  const write = async (routed: RoutedBatch, checkpoint: ConsumerCheckpoint): Promise<void> => {
    let existing = await readThrough(cached, routed.ids, (missing) => documents.read(collection, missing))
    let only: ReadonlySet<string> | undefined
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const applied = applyEventBatch(projection, routed, existing, blockedStreams, only)
      // Before the checkpoint: the stream stays blocked even after a kill in between.
      for (const { stored, error } of applied.deadLetters) await block(stored, error)
      if (applied.writes.length === 0) return checkpoints.save(checkpoint)
      const refused = await documents.write(collection, applied.writes, checkpoint)
      only = new Set(refused)
      for (const { id, document, position } of applied.writes) {
        if (only.has(id)) cached.delete(id)
        else cached.set(id, { id, document, position })
      }
      if (refused.length === 0) return
      existing = await documents.read(collection, refused)
    }
    throw new Error(`Writes to ${collection} were refused ${MAX_TRIES} times`)
  }

  return {
    name: collection,
    get position() {
      return position
    },
    get caughtUp() {
      return caughtUp
    },
    async start() {
      cached.clear()
      caughtUp = false
      await documents.create(projection.collection(collection))
      blockedStreams = new Map()
      for (const { stream, revision } of await deadLetters.list(collection))
        blockedStreams.set(stream, Math.min(revision, blockedStreams.get(stream) ?? revision))
      const saved = await checkpoints.load(collection)
      position = saved?.position ?? start
      return { checkpoint: saved?.checkpoint, position }
    },
    async apply(batch: Batch) {
      const routed = routeBatch(projection, batch.events)
      const checkpoint = { consumer: collection, checkpoint: batch.checkpoint, position: batch.position }
      if (routed.steps.length > 0) await write(routed, checkpoint)
      else if (batch.position !== position) await checkpoints.save(checkpoint)
      position = batch.position
      if (batch.caughtUp && !caughtUp) await documents.createIndexes(projection.collection(collection))
      caughtUp = batch.caughtUp
      if (!log.debug || !log.isLevelEnabled?.('debug')) return
      for (const { stored } of routed.steps)
        log.debug(
          { view: projection.name, type: stored.type, position: stored.position, ...correlationOf(stored) },
          'shown',
        )
    },
  }
}
