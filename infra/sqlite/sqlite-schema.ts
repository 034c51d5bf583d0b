import Libsql from 'libsql'

/** A table, index, trigger or view of a file, as SQLite lists it. */
export interface SchemaObject {
  readonly type: string
  readonly name: string
  /** How it was created; null for an index that SQLite made itself. */
  readonly sql: string | null
}

/** Lists all objects of a file. */
export const SELECT_SCHEMA = 'SELECT type, name, sql FROM sqlite_schema ORDER BY type, name'

/** The objects that statements make, made once in a file in memory. */
const madeBy = new Map<string, ReadonlyMap<string, string>>()

function objectsOf(statements: string): ReadonlyMap<string, string> {
  const known = madeBy.get(statements)
  if (known) return known
  const database = new Libsql(':memory:')
  try {
    database.exec(statements)
    const rows = database.prepare(SELECT_SCHEMA).all()
    const objects = new Map(rows.map(toObject).map((object) => [keyOf(object), textOf(object)] as const))
    madeBy.set(statements, objects)
    return objects
  } finally {
    database.close()
  }
}

/** What a file has that these statements do not make of an empty one, in words. */
export function foreignObjects(statements: string, found: readonly SchemaObject[]): string[] {
  const ours = objectsOf(statements)
  return found.flatMap((object) => {
    const own = ours.get(keyOf(object))
    if (own === textOf(object)) return []
    return [own === undefined ? foreign(object) : `has another ${object.type} '${object.name}' than ours`]
  })
}

/** The same, and what it lacks. */
export function schemaDifferences(statements: string, found: readonly SchemaObject[]): string[] {
  const there = new Set(found.map(keyOf))
  const missing = [...objectsOf(statements).keys()].filter((key) => !there.has(key))
  return [...foreignObjects(statements, found), ...missing.map((key) => `lacks the ${key}`)]
}

/** "has the trigger 'x', which is not ours" */
export function foreign({ type, name }: SchemaObject): string {
  return `has the ${type} '${name}', which is not ours`
}

/** A row of {@link SELECT_SCHEMA}. */
export function toObject(row: unknown): SchemaObject {
  const fields: Readonly<Record<string, unknown>> = typeof row === 'object' && row !== null ? { ...row } : {}
  const { type, name, sql } = fields
  return { type: String(type), name: String(name), sql: typeof sql === 'string' ? sql : null }
}

const keyOf = ({ type, name }: SchemaObject) => `${type} '${name}'`
/** A renaming puts names into quotes. */
const textOf = ({ sql }: SchemaObject) => (sql ?? '').replaceAll('"', '').replaceAll(/\s+/g, ' ')
