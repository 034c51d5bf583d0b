import { randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import {
  type Checkpoint,
  type EventStore,
  type Position,
  start,
  type StoredEvent,
} from '#infra/event-store/event-store.ts'
import { parseDocument } from '#infra/read-model-store/document-rules.ts'
import type { DeadLetter, StoredDocument } from '#infra/read-model-store/read-model-store.ts'
import { openTemporaryDocuments, type TemporaryDocument } from '#infra/read-model-store/temporary-documents.ts'
import { decrypt, encrypt } from '#services/event-sourcing/crypto-shredding/cipher.ts'
import type { PersonKeys } from '#services/event-sourcing/crypto-shredding/person-keys.ts'
import type { EventRegistry } from '#services/event-sourcing/event-registry.ts'
import { readLog } from '#services/event-sourcing/read-log.ts'
import { type BatchEvent, batchEventsOf } from '#services/event-sourcing/subscriptions/batch-event.ts'
import { applyEventBatch, routeBatch } from './apply-batch.ts'
import type { Projection } from './projection.ts'

/** The documents of projections as the log says them, folded by the same functions as those that are served. */
export type FoldedDocuments = ReturnType<typeof foldDocuments>

export interface FoldOptions {
  readonly registry: EventRegistry
  readonly eventStore: Pick<EventStore, 'subscribe'>
  readonly personKeys: Pick<PersonKeys, 'get'>
  /** Each with the events that what is served could not apply: those and what follows in their streams are left out. */
  readonly projections: ReadonlyMap<Projection, readonly DeadLetter[]>
  /** Called once with each event, in the order of the log. */
  readonly onEvent?: ((event: StoredEvent) => void) | undefined
}

export interface FoldedDocument {
  readonly id: string
  /** As JSON; null for a tombstone. */
  readonly text: string | null
  /** Of the last event applied. */
  readonly position: Position
  /** Counts up from 1 as documents are first written. */
  readonly rank: number
}

/** Events of a step: about 15 ms, which block the event loop. */
const STEP = 128
/** For each projection: they need not be read again for the next event. */
const CACHED_DOCUMENTS = 1_000

/** Begins at the beginning of the log. What is folded lies in a file without a name, under a key of this process. */
export function foldDocuments({ registry, eventStore, personKeys, projections, onEvent }: FoldOptions) {
  const key = randomBytes(32)
  const documents = openTemporaryDocuments([...projections.keys()].map(({ name }) => name))
  const folds = [...projections].map(([projection, letters]) => ({
    projection,
    cached: new LRUCache<string, StoredDocument>({ max: CACHED_DOCUMENTS }),
    // The first of a stream wins.
    blocked: new Map(letters.toReversed().map(({ stream, revision }) => [stream, revision])),
  }))
  let checkpoint: Checkpoint | undefined
  let position: Position = start

  let encrypted = 0
  /** Counting is quicker than random numbers, and this key is used here only. */
  const nextNonce = (): Uint8Array => {
    const nonce = Buffer.alloc(12)
    nonce.writeUIntBE(++encrypted, 6, 6)
    return nonce
  }

  const toFolded = (name: string, { id, content, ...others }: TemporaryDocument): FoldedDocument => ({
    ...{ id, ...others },
    text: content && decrypt(key, content, `${name} ${id}`).toString(),
  })

  const toStored = (name: string, found: TemporaryDocument): StoredDocument => {
    const { id, text, position: at } = toFolded(name, found)
    return { id, document: text === null ? null : parseDocument(text), position: at }
  }

  const apply = ({ projection, cached, blocked }: (typeof folds)[number], events: readonly BatchEvent[]) => {
    const { name } = projection
    const routed = routeBatch(projection, events)
    if (routed.steps.length === 0) return
    const existing = new Map<string, StoredDocument>()
    const unknown: string[] = []
    for (const id of routed.ids) {
      const known = cached.get(id)
      if (known) existing.set(id, known)
      else unknown.push(id)
    }
    for (const [id, found] of documents.read(name, unknown)) existing.set(id, toStored(name, found))
    const { writes, deadLetters } = applyEventBatch(projection, routed, existing, blocked)
    for (const { stored } of deadLetters) blocked.set(stored.stream, stored.revision)
    for (const { id, document, position: at } of writes) cached.set(id, { id, document, position: at })
    documents.write(
      name,
      writes.map(({ id, document, position: at }) => ({
        ...{ id, position: at },
        content: document && encrypt(key, JSON.stringify(document), `${name} ${id}`, nextNonce()),
      })),
    )
  }

  return {
    /** All events up to here are folded. */
    get position() {
      return position
    },
    /**
     * Folds on to the present end of the log, and yields after each step.
     *
     * @param stops Positions at which `onStop` is called, before any later event is folded.
     */
    async *toEnd(stops?: ReadonlySet<Position>, onStop?: (position: Position) => void): AsyncGenerator<undefined> {
      for await (const batch of readLog(eventStore, checkpoint, { batchSize: STEP })) {
        const events = await batchEventsOf(registry, personKeys, batch.events)
        let from = 0
        for (const [n, { stored }] of events.entries()) {
          onEvent?.(stored)
          const isStop = stops?.has(stored.position) ?? false
          if (!isStop && n < events.length - 1) continue
          for (const fold of folds) apply(fold, events.slice(from, n + 1))
          from = n + 1
          position = stored.position
          if (isStop) onStop?.(position)
        }
        ;({ checkpoint, position } = batch)
        yield
      }
    },
    /** The documents with these ids. */
    read: ({ name }: Projection, ids: readonly string[]): Map<string, FoldedDocument> =>
      new Map([...documents.read(name, ids)].map(([id, found]) => [id, toFolded(name, found)])),
    /** The ids of documents in the order in which they were first written, after a rank. */
    idsAfter: ({ name }: Projection, rank: number, limit: number): readonly string[] =>
      documents.page(name, rank, limit).map(({ id }) => id),
    /** How many documents there are, tombstones included: the highest rank. */
    count: ({ name }: Projection): number => documents.count(name),
    close: () => documents.close(),
  }
}
