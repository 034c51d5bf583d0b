import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { comparePositions, type EventStore, type ExpectedRevision, type Position, type StoredEvent, start } from '../../infra/event-store/event-store.ts'
import { openSqliteEventStore } from '../../infra/event-store/sqlite-event-store.ts'
import { Unavailable } from '../../infra/failures.ts'
import { openSqliteKeyStore } from '../../infra/key-store/sqlite-key-store.ts'
import { openSqliteViewStore } from '../../infra/read-model-store/sqlite.ts'
import type { Document, ViewStore } from '../../infra/read-model-store/read-model-store.ts'
import { decodeEvent, encodeEvent } from '../../services/event-sourcing/codec/event-codec.ts'
import { type PersonKeys, createPersonKeys } from '../../services/event-sourcing/crypto-shredding/person-keys.ts'
import { eventRegistry, type AnyEvent, personIdOf } from '../../services/domain/streams.ts'
import { liveCollection } from '../../services/event-sourcing/projections/rebuild-state.ts'
import { allProjections } from '../../services/projections/index.ts'
import type { Projection } from '../../services/event-sourcing/projections/projection.ts'
import { firmOf, type Wish } from './event-history.ts'
import { type Log, type ProjectorOptions, runProjector } from '../../services/event-sourcing/projections/projection-supervisor.ts'
import { readProjectionStatus } from '../../services/event-sourcing/projections/projection-status.ts'

/** For tests of the projector: a firm in a folder of its own, on the real embedded stores. */

export interface Firm {
  readonly folder: string
  readonly eventStore: EventStore
  readonly viewStore: ViewStore
  readonly keys: PersonKeys
  /** Lets the deciders decide and appends what they decide; answers where the log ends then. */
  record(wished: readonly Wish[]): Promise<Position>
  /** Appends events without asking anybody. */
  append(stream: string, ...events: readonly AnyEvent[]): Promise<Position>
  /** Another handle on the same views, as another process would have. */
  openViewStore(): ViewStore
  close(): Promise<void>
}

export function openFirm(folder = mkdtempSync(join(tmpdir(), 'proofdesk-projector-'))): Firm {
  const eventStore = openSqliteEventStore(join(folder, 'events.db'))
  const keyStore = openSqliteKeyStore(join(folder, 'keys.db'))
  const openViewStore = () => openSqliteViewStore(join(folder, 'views.db'))
  const viewStore = openViewStore()
  const keys = createPersonKeys(keyStore, { wrappingKey: new Uint8Array(32).fill(7) })
  const revisions = new Map<string, ExpectedRevision>()
  const decided: (readonly [stream: string, events: readonly AnyEvent[]])[] = []
  const { wish } = firmOf((stream, events) => decided.push([stream, events]))
  let at = Date.UTC(2026, 0, 1)

  const append = async (stream: string, ...events: readonly AnyEvent[]): Promise<Position> => {
    const person = personIdOf(stream)
    const key = person === undefined ? undefined : await keys.getOrCreate(person)
    if (key === 'destroyed') throw new Error(`${stream} is about somebody who was erased`)
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
    viewStore,
    keys,
    append,
    openViewStore,
    async record(wished) {
      for (const each of wished) wish(each)
      for (const [stream, events] of decided.splice(0)) await append(stream, ...events)
      return eventStore.end()
    },
    async close() {
      await Promise.all([eventStore.close(), viewStore.close(), keyStore.close()])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export interface RunningProjector {
  stop(): Promise<void>
}

export const silent: Log = { info() {}, warn() {}, error() {} }

/** Starts a projector with short waits. */
export function startProjector(firm: Firm, options: Partial<ProjectorOptions> = {}): RunningProjector {
  const abort = new AbortController()
  const { eventStore, viewStore, keys } = firm
  const waits = { pollInterval: 10, retryAfter: 2, retireAfter: 50 }
  const base = { registry: eventRegistry, eventStore, viewStore, personKeys: keys, views: allProjections, log: silent, ...waits }
  const ended = runProjector({ ...base, ...options, signal: abort.signal })
  return {
    async stop() {
      abort.abort()
      await ended
    },
  }
}

/** Waits for a condition that some progress of the projector will bring about. */
export async function until(viewStore: ViewStore, condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await viewStore.progressed(20)
}

/** Waits until all views show the whole log. */
export async function untilCaughtUp({ eventStore, viewStore }: Firm, views: readonly Projection[] = allProjections): Promise<void> {
  await until(viewStore, async () => {
    const states = await readProjectionStatus(eventStore, viewStore, views)
    return states.every(({ caughtUp, building }) => caughtUp && !building)
  })
}

export type Contents = Record<string, { readonly document: Document | null; readonly position: Position }>

/** What one straightforward fold of the whole log gives: one fact after the other, no batches, no store. */
export async function straightforward({ eventStore, keys }: Firm, view: Projection): Promise<Contents> {
  const contents: Contents = {}
  for (const stored of await wholeLog(eventStore)) {
    const person = personIdOf(stored.stream)
    const fact = decodeEvent(eventRegistry, stored, person === undefined ? undefined : (await keys.get([person])).get(person))
    const id = view.documentIdOf(fact)
    const before = id === undefined ? undefined : contents[id]
    if (id === undefined || before?.document === null) continue
    const folding = view.resume(before?.document)
    const unfolded = folding.document
    folding.apply(fact)
    if (folding.document !== unfolded) contents[id] = { document: folding.document ?? null, position: fact.position }
  }
  return contents
}

/** What is served of a view, of the documents with these ids. */
export async function served(viewStore: ViewStore, view: Projection, ids: readonly string[]): Promise<Contents> {
  const stored = await viewStore.read(await liveCollection(viewStore, view), ids)
  return Object.fromEntries([...stored].map(([id, { document, position }]) => [id, { document, position }]))
}

/** Every event there is. */
export async function wholeLog(eventStore: EventStore): Promise<StoredEvent[]> {
  const end = await eventStore.end()
  const events: StoredEvent[] = []
  if (end === start) return events
  for await (const batch of eventStore.subscribe(undefined, { signal: new AbortController().signal })) {
    events.push(...batch.events)
    if (comparePositions(batch.position, end) >= 0) break
  }
  return events
}

/** What happens to a call of the view store. */
export type Fate = 'fine' | 'fails before' | 'fails after'

/** A view store that fails when it is told to. */
export function failing(store: ViewStore, fate: (call: string) => Fate): ViewStore {
  const met =
    <Args extends unknown[], Result>(call: string, work: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      const met = fate(call)
      if (met === 'fails before') throw new Unavailable('view store')
      const result = await work(...args)
      if (met === 'fails after') throw new Unavailable('view store')
      return result
    }
  return {
    ...store,
    open: met('open', store.open),
    read: met('read', store.read),
    write: met('write', store.write),
    drop: met('drop', store.drop),
    progress: met('progress', store.progress),
    saveProgress: met('saveProgress', store.saveProgress),
    setting: met('setting', store.setting),
    saveSetting: met('saveSetting', store.saveSetting),
    setAside: met('setAside', store.setAside),
    poison: met('poison', store.poison),
    forgetReader: met('forgetReader', store.forgetReader),
    forgetPoison: met('forgetPoison', store.forgetPoison),
    lease: met('lease', store.lease),
  }
}
