import { comparePositions, type Position, start } from '#infra/event-store/event-store.ts'
import type { Query, ReadModelStore } from '#infra/read-model-store/read-model-store.ts'
import type { Projection } from './projection.ts'
import { initialState, isCollection } from './blue-green-rebuild.ts'

export type ReadModels = ReturnType<typeof createReadModels>

export interface DocumentPage<Doc> {
  readonly documents: readonly Doc[]
  /** The cursor of the next page, undefined on the last. */
  readonly next: string | undefined
}

/** More documents than any person has: their own lists are not paginated. */
export const ALL_OF_PERSON = 10_000

/** All documents of a query, in pages of its limit. */
export async function* pagesOf<Doc>(
  readModels: Pick<ReadModels, 'find'>,
  projection: Projection<Doc>,
  query: Omit<Query, 'cursor'>,
): AsyncGenerator<readonly Doc[]> {
  let cursor: string | undefined
  do {
    const page = await readModels.find(projection, { ...query, ...(cursor && { cursor }) })
    yield page.documents
    cursor = page.next
  } while (cursor !== undefined)
}

/** How long a look at what is served is valid, in ms. The worker keeps a replaced collection for longer. */
const LOOK_VALID_FOR = 500

/**
 * The read models as queries read them: typed, and always from the collection that is served now.
 *
 * @param options `waitTimeout` is how long `waitFor` waits, in ms.
 */
export function createReadModels(
  { documents, checkpoints, projections: states }: Pick<ReadModelStore, 'documents' | 'checkpoints' | 'projections'>,
  { waitTimeout = 3_000 }: { readonly waitTimeout?: number } = {},
) {
  const created = new Set<string>()
  let serving: ReadonlyMap<string, string> = new Map()
  let positions: ReadonlyMap<string, Position> = new Map()
  let lookedAt = -Infinity

  /** One look for all that wait. */
  const look = coalesceCalls(async () => {
    const at = Date.now()
    // In this order: after a switch in between, the positions are still those of what is read until the next look.
    const rows = await states.loadAll()
    const saved = await checkpoints.loadAll()
    positions = new Map([...saved].map(([consumer, { position }]) => [consumer, position]))
    serving = new Map([...rows].map(([projection, row]) => [projection, row.serving]))
    lookedAt = at
  })

  const collectionOf = (projection: Projection): string => {
    const served = serving.get(projection.name)
    // That of 0.2.0 is replaced by the worker.
    return served !== undefined && isCollection(served) ? served : initialState(projection).serving
  }

  const read = async <Result>(
    projection: Projection,
    query: (collection: string) => Promise<Result>,
  ): Promise<Result> => {
    if (Date.now() - lookedAt >= LOOK_VALID_FOR) await look()
    const collection = collectionOf(projection)
    // A query service that starts before any worker finds an empty collection.
    if (!created.has(collection)) await documents.create(projection.collection(collection))
    created.add(collection)
    try {
      return await query(collection)
    } catch (error) {
      // It may have been dropped since the last look.
      await look()
      if (collectionOf(projection) === collection) throw error
      return read(projection, query)
    }
  }

  const positionOf = (projection: Projection): Position => positions.get(collectionOf(projection)) ?? start

  const haveReached = (projections: readonly Projection[], position: Position): boolean =>
    projections.every((projection) => comparePositions(positionOf(projection), position) >= 0)

  return {
    async get<Doc>(projection: Projection<Doc>, id: string): Promise<Doc | undefined> {
      const found = await read(projection, (collection) => documents.read(collection, [id]))
      const document = found.get(id)?.document
      return document ? projection.validate(document) : undefined
    },
    /** The documents with these ids, by id, without the missing and the deleted. */
    async getMany<Doc>(projection: Projection<Doc>, ids: readonly string[]): Promise<Map<string, Doc>> {
      const found = await read(projection, (collection) => documents.read(collection, ids))
      return new Map(
        [...found].flatMap(([id, { document }]) => (document ? [[id, projection.validate(document)] as const] : [])),
      )
    },
    /** A page of documents; the newest first, unless `sort` says otherwise. */
    async find<Doc>(projection: Projection<Doc>, query: Query): Promise<DocumentPage<Doc>> {
      const page = await read(projection, (collection) => documents.find(collection, query))
      return { documents: page.documents.map(({ document }) => projection.validate(document)), next: page.next }
    },
    /** How many match, counted up to `atMost`. */
    count(projection: Projection, query: Pick<Query, 'where' | 'search'>, atMost: number): Promise<number> {
      return read(projection, (collection) => documents.count(collection, query, atMost))
    },
    /** Waits until all these read models show everything up to a position. False after `waitTimeout`. */
    async waitFor(projections: readonly Projection[], position: Position): Promise<boolean> {
      const end = Date.now() + waitTimeout
      // Progress never goes back: a rebuilt collection is served only when it has reached the position of the old one.
      while (!haveReached(projections, position)) {
        const left = end - Date.now()
        // Before the look, so that it misses nothing saved in between.
        const saved = checkpoints.saved(Math.max(0, Math.min(left, LOOK_VALID_FOR)))
        saved.catch(() => {})
        await look()
        if (haveReached(projections, position)) return true
        if (left <= 0) return false
        await saved
      }
      return true
    },
    /** A position up to which all these read models show everything, as of some moments ago. */
    async visibleUpTo(projections: readonly Projection[]): Promise<Position> {
      if (Date.now() - lookedAt >= LOOK_VALID_FOR) await look()
      return projections.map(positionOf).sort(comparePositions)[0] ?? start
    },
  }
}

/** Shares a call among all that ask before it has begun; those that ask while one is running get the next. */
function coalesceCalls(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined
  const run = (): Promise<void> => {
    next = undefined
    const current = work().finally(() => {
      if (running === current) running = undefined
    })
    running = current
    return current
  }
  return () => {
    if (!running) return run()
    next ??= running.then(run, run)
    return next
  }
}
