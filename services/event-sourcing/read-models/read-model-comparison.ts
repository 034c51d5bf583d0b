import { isDeepStrictEqual } from 'node:util'
import { pause } from '#infra/async.ts'
import { comparePositions, type EventStore, type Position, start } from '#infra/event-store/event-store.ts'
import { parseDocument } from '#infra/read-model-store/document-rules.ts'
import type { Document, ReadModelStore, ScannedRow } from '#infra/read-model-store/read-model-store.ts'
import { versionOf } from './blue-green-rebuild.ts'
import { type FoldedDocument, type FoldedDocuments, foldDocuments, type FoldOptions } from './folded-documents.ts'
import type { Projection } from './projection.ts'

/**
 * Compares what is served with a fold of the log: every document, the keys by which it is found, its place, and how many
 * there are. A document is compared at its own position, so one that changes meanwhile is no difference. Nothing is kept
 * from one comparison to the next: whoever could write there would decide what is found.
 */
export interface ComparisonOptions extends Omit<FoldOptions, 'projections'> {
  readonly eventStore: Pick<EventStore, 'subscribe' | 'end'>
  readonly store: Pick<ReadModelStore, 'checkpoints' | 'deadLetters' | 'projections'> & {
    readonly documents: Pick<ReadModelStore['documents'], 'read' | 'scan'>
  }
  readonly projections: readonly Projection[]
  /** What is served is not what the log says. */
  readonly onDifference: (difference: Difference) => void
  readonly signal: AbortSignal
  /** How long what is served may be behind the log, in ms. */
  readonly patience?: number
}

/** A document that is served and is not what the log says, or is not served although the log has it. */
export interface Difference {
  readonly view: string
  readonly collection: string
  readonly id: string
}

/** Rows of a step: a few ms, which block the event loop. */
const PAGE = 100
/** Documents that are newer than the fold. With more, it is folded on before more are read. */
const MOST_AHEAD = 1_000
/** Differences of one collection: it is rebuilt, so more say nothing new. */
const MOST_DIFFERENCES = 10
const PATIENCE_MS = 30_000
const POLL_MS = 100

/**
 * One comparison of all read models, in small steps. Returns those that could not be compared: what is served is behind
 * the log. What is replaced meanwhile is compared the next time.
 */
export async function* compareInSteps(options: ComparisonOptions): AsyncGenerator<undefined, readonly string[]> {
  const { store, projections } = options
  const states = await store.projections.loadAll()
  const served = new Map<Projection, string>()
  for (const projection of projections) {
    const serving = states.get(projection.name)?.serving
    // One of another version is about to be replaced.
    if (serving !== undefined && versionOf(serving) === projection.version) served.set(projection, serving)
  }
  const letters = await store.deadLetters.list()
  const fold = foldDocuments({
    ...options,
    projections: new Map(
      [...served].map(([projection, serving]) => [projection, letters.filter(({ consumer }) => consumer === serving)]),
    ),
  })
  try {
    yield* fold.toEnd()
    const behind: string[] = []
    for (const [projection, collection] of served) {
      // What keeps one behind mostly keeps all: they are waited for together.
      const patience = behind.length > 0 ? 0 : (options.patience ?? PATIENCE_MS)
      const comparison = new Comparison(projection, collection, fold, { ...options, patience })
      try {
        yield* comparison.run()
      } catch (error) {
        if (error instanceof Behind) behind.push(projection.name)
        // A collection that was replaced may have been dropped.
        else if (await comparison.isServed()) throw error
      }
    }
    return behind
  } finally {
    fold.close()
  }
}

/** What is served does not follow the log. */
class Behind extends Error {}

/** What is known of a document that is newer than the fold. */
interface Ahead {
  readonly row: Pick<ScannedRow, 'id' | 'document' | 'position'>
  /** It has differed before: now it counts, even if it changes again. */
  readonly isSecondLook: boolean
}

class Comparison {
  private readonly ahead = new Map<string, Ahead>()
  private readonly different = new Set<string>()

  constructor(
    private readonly projection: Projection,
    private readonly collection: string,
    private readonly fold: FoldedDocuments,
    private readonly options: ComparisonOptions & { readonly patience: number },
  ) {}

  /** @throws {Behind} */
  async *run(): AsyncGenerator<undefined> {
    const { projection, collection, fold } = this
    const { documents } = this.options.store
    // From here on, a row is at least as new as the fold.
    await this.waitUntilServed(fold.position)
    const expected = fold.count(projection)
    let found = 0
    for await (const rows of documents.scan(collection, PAGE)) {
      const folded = fold.read(projection, idsOf(rows))
      for (const { rank } of folded.values()) if (rank <= expected) found += 1
      const misplaced = outOfOrder(rows, folded)
      for (const row of rows) await this.check(row, folded.get(row.id), misplaced.has(row.id))
      yield
      if (this.isHopeless) return
      if (this.ahead.size >= MOST_AHEAD) yield* this.catchUp()
    }
    yield* this.catchUp()
    if (found < expected) yield* this.findMissing(expected)
  }

  async isServed(): Promise<boolean> {
    const state = await this.options.store.projections.load(this.projection.name)
    return state?.serving === this.collection
  }

  private get isHopeless(): boolean {
    return this.different.size >= MOST_DIFFERENCES
  }

  private async check(row: ScannedRow, folded: FoldedDocument | undefined, isMisplaced: boolean): Promise<void> {
    if (row.isSound && !isMisplaced && this.isNewer(row)) this.ahead.set(row.id, { row, isSecondLook: false })
    else if (!row.isSound || isMisplaced || !this.isSame(row, folded)) await this.suspect(row.id, row)
  }

  private isNewer({ position }: Pick<ScannedRow, 'position'>): boolean {
    return comparePositions(position, this.fold.position) > 0
  }

  private isSame(row: Ahead['row'], folded: FoldedDocument | undefined): boolean {
    if (folded === undefined || row.position !== folded.position) return false
    if (row.document === null || folded.text === null) return row.document === folded.text
    return JSON.stringify(row.document) === folded.text || this.isEqual(row.document, folded.text)
  }

  /** A document that was read again has its fields in another order, and those that were added later. */
  private isEqual(document: Document, text: string): boolean {
    const valid = (stored: Document) => this.projection.validate(stored)
    return isDeepStrictEqual(valid(document), valid(parseDocument(text)))
  }

  /**
   * Looks at a document again when what is served shows all that the log has now. So a person's deletion, which takes
   * the key of earlier events, is no difference: by then it has changed what was read before.
   *
   * @param differing The row that differs; undefined where it is missing.
   */
  private async suspect(id: string, differing: Partial<ScannedRow> | undefined): Promise<void> {
    const { collection, options } = this
    await this.waitUntilServed(await options.eventStore.end())
    const read = await options.store.documents.read(collection, [id]).catch((error: unknown) => {
      // One that is no JSON cannot be read at all.
      if (differing?.isSound === false) return undefined
      throw error
    })
    const row = read?.get(id)
    if (row === undefined || row.position === differing?.position) await this.tell(id)
    else this.ahead.set(id, { row, isSecondLook: true })
  }

  private async tell(id: string): Promise<void> {
    const { collection, different, projection, options } = this
    if (different.has(id) || !(await this.isServed())) return
    different.add(id)
    options.onDifference({ view: projection.name, collection, id })
  }

  /** Folds on to the end of the log, and compares what is newer, each document at its own position. */
  private async *catchUp(): AsyncGenerator<undefined> {
    const { ahead, fold, projection } = this
    while (ahead.size > 0 && !this.isHopeless) {
      const waiting = new Set(ahead.values())
      ahead.clear()
      const differing: Ahead[] = []
      const compare = (look: Ahead) => {
        waiting.delete(look)
        const folded = fold.read(projection, [look.row.id]).get(look.row.id)
        if (!this.isSame(look.row, folded)) differing.push(look)
      }
      for (const look of waiting) if (!this.isNewer(look.row)) compare(look)
      yield* fold.toEnd(new Set([...waiting].map(({ row }) => row.position)), (position) => {
        for (const look of waiting) if (look.row.position === position) compare(look)
      })
      // The log has no such positions.
      differing.push(...waiting)
      for (const { row, isSecondLook } of differing)
        if (isSecondLook) await this.tell(row.id)
        else await this.suspect(row.id, row)
      await this.waitUntilServed(fold.position)
    }
  }

  /** @param expected How many documents there were when the comparison began. */
  private async *findMissing(expected: number): AsyncGenerator<undefined> {
    const { collection, fold, options, projection } = this
    for (let rank = 0; rank < expected && !this.isHopeless; rank += PAGE) {
      const folded = fold.idsAfter(projection, rank, Math.min(PAGE, expected - rank))
      const served = await options.store.documents.read(collection, folded)
      for (const id of folded) if (!served.has(id)) await this.suspect(id, undefined)
      yield
    }
    yield* this.catchUp()
  }

  /** @throws {Behind} */
  private async waitUntilServed(position: Position): Promise<void> {
    const { store, signal, patience } = this.options
    const deadline = Date.now() + patience
    for (;;) {
      const served = (await store.checkpoints.load(this.collection))?.position ?? start
      if (comparePositions(served, position) >= 0) return
      if (signal.aborted || Date.now() >= deadline) throw new Behind()
      await pause(POLL_MS, signal)
    }
  }
}

/** Rows that do not follow each other as their documents first came up in the log, where the store keeps that order. */
function outOfOrder(rows: readonly ScannedRow[], folded: ReadonlyMap<string, FoldedDocument>): ReadonlySet<string> {
  const places = rows.flatMap(({ id, rank }) => {
    const expected = folded.get(id)?.rank
    return rank === null || expected === undefined ? [] : [{ id, rank, expected }]
  })
  places.sort((one, other) => one.rank - other.rank)
  return new Set(
    places.flatMap(({ id, expected }, n) => (expected > (places[n + 1]?.expected ?? Infinity) ? [id] : [])),
  )
}

const idsOf = (rows: readonly { readonly id: string }[]): string[] => rows.map(({ id }) => id)
