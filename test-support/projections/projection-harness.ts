import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { ExpectedRevision, Position } from '#infra/event-store/event-store.ts'
import { Unavailable } from '#infra/failures.ts'
import { openSqliteReadModelStore } from '#infra/read-model-store/sqlite-read-model-store.ts'
import type { Document, ReadModelStore } from '#infra/read-model-store/read-model-store.ts'
import { encodeEvent } from '#services/event-sourcing/codec/event-codec.ts'
import { eventRegistry, type AnyEvent, personIdOf } from '#services/oversight/event-catalogue.ts'
import { loadProjectionState } from '#services/event-sourcing/read-models/blue-green-rebuild.ts'
import { allProjections } from '#services/portal/modules.ts'
import type { Projection } from '#services/event-sourcing/read-models/projection.ts'
import { createTestLog } from '#test-support/sample-events.ts'
import { decodeEvents, storedEvents } from '#test-support/stores.ts'
import { firmOf, type Wish } from './event-history.ts'
import type { Log } from '#services/event-sourcing/process-log.ts'
import { type ProjectorOptions, runProjector } from '#services/event-sourcing/read-models/projector.ts'
import { readProjectionStatus } from '#services/event-sourcing/read-models/projection-progress.ts'

/** For tests of the projector: a firm in a folder of its own, on the real embedded stores. */

export type Firm = ReturnType<typeof openFirm>

/** Opens a firm in a new or an existing folder. */
export function openFirm(existing?: string) {
  const { folder, eventStore, keys, close } = createTestLog(existing)
  /** Another handle on the same read models, as another process would have. */
  const openStore = () => openSqliteReadModelStore(join(folder, 'views.db'))
  const store = openStore()
  const revisions = new Map<string, ExpectedRevision>()
  const decided: (readonly [stream: string, events: readonly AnyEvent[]])[] = []
  const { wish } = firmOf((stream, events) => decided.push([stream, events]))
  let at = Date.UTC(2026, 0, 1)

  /** Appends events that no decider has decided. */
  const append = async (stream: string, ...events: readonly AnyEvent[]): Promise<Position> => {
    const person = personIdOf(stream)
    const key = person === undefined ? undefined : await keys.getOrCreate(person)
    if (key === 'destroyed') throw new Error(`${stream} is about a person who was erased`)
    const actor = { kind: 'system', label: 'test' } as const
    const metadata = { at: (at += 1_000), actor, requestId: 'r', causationId: 'r', correlationId: 'r', previous: null }
    const encoded = events.map((event) => encodeEvent(eventRegistry, randomUUID(), event, metadata, key))
    const { revision, position } = await eventStore.append(stream, revisions.get(stream) ?? 'none', encoded)
    revisions.set(stream, revision)
    return position
  }

  return {
    folder,
    eventStore,
    store,
    keys,
    append,
    openStore,
    /** Lets the deciders decide and appends what they decide. Returns the end of the log. */
    async record(wished: readonly Wish[]): Promise<Position> {
      for (const each of wished) wish(each)
      for (const [stream, events] of decided.splice(0)) await append(stream, ...events)
      return eventStore.end()
    },
    async close(): Promise<void> {
      await store.close()
      await close()
    },
  }
}

export type RunningProjector = ReturnType<typeof startProjector>

export const silent: Log = { info() {}, warn() {}, error() {} }

/** Starts a projector with short waits. */
export function startProjector(firm: Firm, options: Partial<ProjectorOptions> = {}) {
  const abort = new AbortController()
  const { eventStore, store, keys } = firm
  const waits = { pollInterval: 10, retryAfter: 2, retireAfter: 50 }
  const base = {
    registry: eventRegistry,
    eventStore,
    store,
    personKeys: keys,
    projections: allProjections,
    log: silent,
    ...waits,
  }
  const ended = runProjector({ ...base, ...options, signal: abort.signal })
  return {
    async stop(): Promise<void> {
      abort.abort()
      await ended
    },
  }
}

/** Waits for a condition that some progress of the projector will bring about. */
export async function until(
  { checkpoints }: Pick<ReadModelStore, 'checkpoints'>,
  condition: () => Promise<boolean>,
): Promise<void> {
  while (!(await condition())) await checkpoints.saved(20)
}

/** Waits until all read models show the whole log. */
export async function untilCaughtUp(
  { eventStore, store }: Firm,
  projections: readonly Projection[] = allProjections,
): Promise<void> {
  await until(store, async () => {
    const states = await readProjectionStatus(eventStore, store, projections)
    return states.every(({ caughtUp, building }) => caughtUp && !building)
  })
}

export type Contents = Record<string, { readonly document: Document | null; readonly position: Position }>

/** The documents after a straightforward fold of the whole log: one event after the other, no batches, no store. */
export async function straightforward({ eventStore, keys }: Firm, projection: Projection): Promise<Contents> {
  const contents: Contents = {}
  for (const event of await decodeEvents({ personKeys: keys }, await storedEvents({ eventStore }))) {
    const id = projection.documentIdOf(event)
    if (id === undefined) continue
    const before = contents[id]?.document
    const document = projection.apply(before, event)
    if (document !== before) contents[id] = { document: document ?? null, position: event.position }
  }
  return contents
}

/** The documents with these ids that a read model serves. */
export async function served(
  { documents, projections }: ReadModelStore,
  projection: Projection,
  ids: readonly string[],
): Promise<Contents> {
  const stored = await documents.read((await loadProjectionState(projections, projection)).serving, ids)
  return Object.fromEntries([...stored].map(([id, { document, position }]) => [id, { document, position }]))
}

/** What happens to a call of the read-model store. */
export type Fate = 'fine' | 'fails before' | 'fails after'

/** A read-model store whose calls have a fate. */
export function failing(store: ReadModelStore, fate: (call: string) => Fate): ReadModelStore {
  const withFate =
    <Args extends readonly unknown[], Result>(call: string, work: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      const met = fate(call)
      if (met === 'fails before') throw new Unavailable('view store')
      const result = await work(...args)
      if (met === 'fails after') throw new Unavailable('view store')
      return result
    }
  const { documents, checkpoints, projections, deadLetters, leases } = store
  return {
    ...store,
    documents: {
      ...documents,
      create: withFate('create', documents.create),
      createIndexes: withFate('createIndexes', documents.createIndexes),
      read: withFate('read', documents.read),
      write: withFate('write', documents.write),
      drop: withFate('drop', documents.drop),
    },
    checkpoints: {
      ...checkpoints,
      load: withFate('load checkpoint', checkpoints.load),
      save: withFate('save checkpoint', checkpoints.save),
      delete: withFate('delete checkpoint', checkpoints.delete),
    },
    projections: {
      ...projections,
      loadAll: withFate('load states', projections.loadAll),
      create: withFate('create state', projections.create),
      update: withFate('update state', projections.update),
    },
    deadLetters: {
      add: withFate('add dead letter', deadLetters.add),
      list: withFate('list dead letters', deadLetters.list),
      delete: withFate('delete dead letters', deadLetters.delete),
    },
    leases: { ...leases, acquire: withFate('acquire lease', leases.acquire) },
  }
}
