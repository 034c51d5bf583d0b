import { setTimeout as delay } from 'node:timers/promises'
import { comparePositions, type Position, start } from '../../../infra/event-store/event-store.ts'
import type { Query, ViewStore } from '../../../infra/read-model-store/read-model-store.ts'
import { liveCollection } from './rebuild-state.ts'
import type { Projection } from './projection.ts'

/** The views as queries read them: typed, and always the collection that is served now. */
export interface ReadModels {
  get<Doc>(view: Projection<Doc>, id: string): Promise<Doc | undefined>
  /** The documents with these ids, by id; those that are not there, or deleted, are missing. */
  getMany<Doc>(view: Projection<Doc>, ids: readonly string[]): Promise<Map<string, Doc>>
  /** A page of documents; newest made first, unless `sort` says otherwise. */
  find<Doc>(view: Projection<Doc>, query: Query): Promise<DocumentPage<Doc>>
  /** How many match, counted up to `atMost`. */
  count(view: Projection, query: Pick<Query, 'where' | 'search'>, atMost: number): Promise<number>
  /** Waits until all these views show everything up to a position. False when they do not within the reader's patience. */
  waitFor(views: readonly Projection[], position: Position): Promise<boolean>
  /** A position up to which all these views show everything, as of some moments ago. */
  visibleUpTo(views: readonly Projection[]): Promise<Position>
}

export interface DocumentPage<Doc> {
  readonly documents: readonly Doc[]
  /** The cursor of the next page, undefined on the last. */
  readonly next: string | undefined
}

export interface ReadModelOptions {
  /** How long {@link ReadModels.waitFor} waits, in ms. */
  readonly waitTimeout?: number
}

/** How long it is believed which collection is served, in ms. The worker keeps the old one for longer than that. */
const LIVE_COLLECTION_TTL = 500

export function createReadModels(viewStore: ViewStore, { waitTimeout = 3_000 }: ReadModelOptions = {}): ReadModels {
  const served = new Map<string, { readonly collection: string; readonly readAt: number }>()
  const opened = new Set<string>()
  /** The views that somebody waited for, or asked how far they are. */
  const awaited = new Set<Projection>()
  let positions: ReadonlyMap<string, Position> = new Map()
  let positionsReadAt = -Infinity

  const lookUp = async (view: Projection): Promise<string> => {
    const collection = await liveCollection(viewStore, view)
    // A query service that was started before any worker finds the collection empty, but finds it. Its indexes are the worker's affair.
    if (!opened.has(collection)) await viewStore.open(view.collection(collection), { loading: true })
    opened.add(collection)
    served.set(view.name, { collection, readAt: Date.now() })
    return collection
  }

  const collectionOf = async (view: Projection): Promise<string> => {
    const known = served.get(view.name)
    return known && Date.now() - known.readAt < LIVE_COLLECTION_TTL ? known.collection : lookUp(view)
  }

  const read = async <Result>(view: Projection, work: (collection: string) => Promise<Result>): Promise<Result> => {
    const collection = await collectionOf(view)
    try {
      return await work(collection)
    } catch (error) {
      // It may have been dropped since we looked.
      const now = await lookUp(view)
      if (now === collection) throw error
      return work(now)
    }
  }

  const positionOf = (view: Projection): Position => positions.get(served.get(view.name)?.collection ?? '') ?? start

  const allReached = (views: readonly Projection[], position: Position): boolean => views.every((view) => comparePositions(positionOf(view), position) >= 0)

  /** One look for all who wait. */
  const look = coalesceCalls(async () => {
    const readAt = Date.now()
    for (const view of awaited) await lookUp(view)
    const readers = await viewStore.readers()
    positions = new Map([...readers].map(([reader, progress]) => [reader, progress.position]))
    positionsReadAt = readAt
  })

  let waking: Promise<void> | undefined
  /** One wait for all who wait. A wait that began earlier does as well: it ends with the first progress since. */
  const woken = (): Promise<void> => {
    waking ??= viewStore.progressed(LIVE_COLLECTION_TTL).finally(() => {
      waking = undefined
    })
    return waking
  }

  const waitUntilReached = async (views: readonly Projection[], position: Position): Promise<boolean> => {
    for (const view of views) awaited.add(view)
    const done = new AbortController()
    let late = false
    const lateness = delay(waitTimeout, undefined, { signal: done.signal }).then(
      () => {
        late = true
      },
      () => {},
    )
    try {
      for (;;) {
        // Before looking, so that no progress in between is missed.
        const wake = woken()
        wake.catch(() => {})
        await look()
        if (allReached(views, position)) return true
        if (late) return false
        await Promise.race([wake, lateness])
      }
    } finally {
      done.abort()
    }
  }

  return {
    async get(view, id) {
      const found = await read(view, (collection) => viewStore.read(collection, [id]))
      const document = found.get(id)?.document
      return document ? view.document.parse(document) : undefined
    },
    async getMany(view, ids) {
      const found = await read(view, (collection) => viewStore.read(collection, ids))
      return new Map([...found].flatMap(([id, { document }]) => (document ? [[id, view.document.parse(document)] as const] : [])))
    },
    async find(view, query) {
      const { documents, next } = await read(view, (collection) => viewStore.find(collection, query))
      return { documents: documents.map(({ document }) => view.document.parse(document)), next }
    },
    count: (view, query, atMost) => read(view, (collection) => viewStore.count(collection, query, atMost)),
    async waitFor(views, position) {
      // What was reached once stays so: a new generation is served only when it has come as far as the old.
      if (allReached(views, position)) return true
      return waitUntilReached(views, position)
    },
    async visibleUpTo(views) {
      for (const view of views) awaited.add(view)
      if (Date.now() - positionsReadAt > LIVE_COLLECTION_TTL || !views.every(({ name }) => served.has(name))) await look()
      return views.map(positionOf).sort(comparePositions)[0] ?? start
    },
  }
}

/** Shares a look among all who ask for one before it has begun; who asks while one is under way gets the next. */
function coalesceCalls(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  let waiting: Promise<void> | undefined
  const run = (): Promise<void> => {
    waiting = undefined
    const mine = work().finally(() => {
      if (running === mine) running = undefined
    })
    running = mine
    return mine
  }
  return () => {
    if (!running) return run()
    waiting ??= running.then(run, run)
    return waiting
  }
}
