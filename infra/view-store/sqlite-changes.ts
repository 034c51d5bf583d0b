import type { Position } from '../event-store/event-store.ts'
import type { Sqlite, SqlValue } from '../sqlite/sqlite.ts'
import { type Collection, type Keys, LIVING } from './sqlite-collection.ts'
import { inRows } from './sqlite-rows.ts'
import { addTexts, type NumberedText, removeTexts, searchText } from './sqlite-search.ts'
import type { DocumentWrite } from './view-store.ts'

/** What is known of a document. */
export interface Known {
  readonly position: Position
  /** Null for a tombstone. */
  readonly keys: Keys | null
}

/** Changes of a collection's documents, gathered to be made with few statements. */
export interface Changes {
  /** What will be known of the documents then. */
  readonly after: ReadonlyMap<string, Known>
  /** Takes a write of a document, and what was known of that before it. */
  add(write: DocumentWrite, before: Known | undefined): void
  /** @throws {OutOfDate} when a document is not as it was known to be; everything is to be rolled back then. */
  make(): void
}

/** A document is not as it was known to be. */
export class OutOfDate extends Error {
  override readonly name = 'OutOfDate'
}

/** An update that changes more values than this sets all of them: so there are few different statements. */
const FEW_VALUES = 3

/** Updates that set the same columns. */
interface Update {
  readonly columns: readonly string[]
  readonly isReworded: boolean
  /** The columns' values for each document, one after the other. */
  readonly rows: SqlValue[]
}

export function openChanges(database: Sqlite, collection: Collection): Changes {
  const { table, columns, search, indexed, searched, keysOf } = collection
  const after = new Map<string, Known>()
  const updates = new Map<string, Update>()
  const made: { readonly id: string; readonly isLiving: boolean; readonly row: SqlValue[] }[] = []
  /** Documents that come out of the search, and those that go into it. */
  const outOfSearch: string[] = []
  const intoSearch: string[] = []
  const whole = ['position', 'document', 'search', ...columns]

  /** The whole of what is stored of a document. */
  const rowOf = (position: Position, text: string | null, keys: Keys | null): SqlValue[] => [
    position,
    text,
    searchText(keys?.slice(columns.length) ?? []),
    ...columns.map((_, n) => keys?.[n] ?? null),
  ]

  const updateOf = (name: string, make: () => Omit<Update, 'rows'>): Update => {
    const update = updates.get(name) ?? { ...make(), rows: [] }
    updates.set(name, update)
    return update
  }
}
