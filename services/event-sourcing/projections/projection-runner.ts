import { type Position, type StoredEvent, start } from '../../../infra/event-store/event-store.ts'
import type { PoisonEvent, StoredDocument, ViewStore } from '../../../infra/read-model-store/read-model-store.ts'
import { correlationOf } from '../codec/metadata.ts'
import type { Projection } from './projection.ts'
import { applyEventBatch, type RoutedBatch, routeBatch } from './apply-batch.ts'
import type { Batch, Log, LogReader } from '../subscriptions/shared-subscription.ts'

/** At least so many documents are remembered as they were last written, and at most twice as many. */
const REMEMBERED_DOCUMENTS = 2_000
/** Somebody else writing the same documents at the same time is an accident; being refused so often is a mistake of ours. */
const TRIES = 50

/** A reader that fills a collection. */
export interface ViewReader extends LogReader {
  /** All up to here is in the collection, as far as this process knows. */
  readonly reached: Position
}

/** Keeps one collection up to what the log says. */
export function viewReader(view: Projection, collection: string, viewStore: ViewStore, log: Log): ViewReader {
  // It saves reading them; that they are not so any more is noticed by the guard of a write.
  const remembered = new Recent<StoredDocument>(REMEMBERED_DOCUMENTS)
  let heldUp = new Map<string, number>()
  let reached: Position = start

  const readRemembering = async (ids: ReadonlySet<string>): Promise<Map<string, StoredDocument>> => {
    const documents = new Map<string, StoredDocument>()
    const missing: string[] = []
    for (const id of ids) {
      const document = remembered.get(id)
      if (document) documents.set(id, document)
      else missing.push(id)
    }
    if (missing.length > 0) for (const [id, document] of await viewStore.read(collection, missing)) documents.set(id, document)
    return documents
  }

  const setAside = async (stored: StoredEvent, error: unknown) => {
    log.error(
      { reader: collection, stream: stored.stream, revision: stored.revision, type: stored.type, ...correlationOf(stored), err: error },
      'An event was set aside',
    )
    await viewStore.setAside(poisonOf(collection, stored, error))
    heldUp.set(stored.stream, stored.revision)
  }

  const write = async (routed: RoutedBatch, progress: Pick<Batch, 'checkpoint' | 'position'>): Promise<void> => {
    let documents = await readRemembering(routed.ids)
    let only: ReadonlySet<string> | undefined
    for (let tries = 0; tries < TRIES; tries++) {
      const { writes, deadLetters } = applyEventBatch(view, routed, documents, heldUp, only)
      // Noted before the progress is: whatever happens in between, the stream stays held up.
      for (const { stored, error } of deadLetters) await setAside(stored, error)
      if (writes.length === 0) return viewStore.saveProgress(collection, progress)
      const refused = await viewStore.write(collection, writes, { reader: collection, ...progress })
      only = new Set(refused)
      for (const { id, document, position } of writes) {
        if (only.has(id)) remembered.delete(id)
        else remembered.set(id, { id, document, position })
      }
      if (refused.length === 0) return
      documents = await viewStore.read(collection, refused)
    }
    throw new Error(`Writes to ${collection} were refused ${TRIES} times`)
  }

  return {
    name: collection,
    get reached() {
      return reached
    },
    async start() {
      remembered.clear()
      // Its indexes can wait until it has caught up: see projector.ts.
      await viewStore.open(view.collection(collection), { loading: true })
      heldUp = new Map()
      for (const { stream, revision } of await viewStore.poison(collection)) heldUp.set(stream, Math.min(revision, heldUp.get(stream) ?? revision))
      const progress = await viewStore.progress(collection)
      reached = progress?.position ?? start
      return { checkpoint: progress?.checkpoint, position: reached }
    },
    async take({ entries, checkpoint, position }) {
      const routed = routeBatch(view, entries)
      if (routed.steps.length > 0) await write(routed, { checkpoint, position })
      else if (position !== reached) await viewStore.saveProgress(collection, { checkpoint, position })
      reached = position
      if (!log.debug || !log.isLevelEnabled?.('debug')) return
      for (const { stored } of routed.steps) log.debug({ view: view.name, type: stored.type, position: stored.position, ...correlationOf(stored) }, 'shown')
    },
  }
}

/** The note of an event that could not be used. */
export function poisonOf(
  reader: string,
  { stream, revision, position, type }: Pick<StoredEvent, 'stream' | 'revision' | 'position' | 'type'>,
  error: unknown,
): PoisonEvent {
  const said = error instanceof Error ? error.message : String(error)
  return { reader, stream, revision, position, type, error: said.slice(0, 500) }
}

/** What was used last. In two halves, of which the older is forgotten as a whole: that costs next to nothing. */
class Recent<Value> {
  private newer = new Map<string, Value>()
  private older = new Map<string, Value>()
  private readonly atLeast: number

  constructor(atLeast: number) {
    this.atLeast = atLeast
  }

  get(key: string): Value | undefined {
    return this.newer.get(key) ?? this.older.get(key)
  }

  set(key: string, value: Value): void {
    this.newer.set(key, value)
    if (this.newer.size < this.atLeast) return
    this.older = this.newer
    this.newer = new Map()
  }

  delete(key: string): void {
    this.newer.delete(key)
    this.older.delete(key)
  }

  clear(): void {
    this.newer.clear()
    this.older.clear()
  }
}
