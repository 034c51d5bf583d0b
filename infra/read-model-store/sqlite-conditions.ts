import type { SqlValue } from '../sqlite/sqlite.ts'

/** A piece of SQL with its values. */
export interface Condition {
  readonly sql: string
  readonly values: readonly SqlValue[]
}

/** A condition without values, or with those given. */
export function condition(sql: string, ...values: SqlValue[]): Condition {
  return { sql, values }
}

export function all(conditions: readonly Condition[]): Condition {
  return joined(conditions, ' AND ', '1')
}

export function any(conditions: readonly Condition[]): Condition {
  const { sql, values } = joined(conditions, ' OR ', '0')
  return { sql: `(${sql})`, values }
}

/** A list to select `value` from. */
export function listOf(values: readonly SqlValue[]): Condition {
  // As JSON, so that lists of any length make one statement; but a number's digits are read better by JavaScript.
  if (values.length > 0 && values.every((value) => typeof value === 'string')) return condition('SELECT value FROM json_each(?)', JSON.stringify(values))
  return condition(`SELECT column1 AS value FROM (VALUES ${values.map(() => '(?)').join(', ')})`, ...values)
}

/** That an expression has one of these values. */
export function isOneOf(expression: string, values: readonly SqlValue[]): Condition {
  const [only] = values
  if (values.length === 1 && only !== undefined) return only === null ? condition(`${expression} IS NULL`) : condition(`${expression} = ?`, only)
  const present = values.filter((value) => value !== null)
  const list = listOf(present)
  const within = present.length > 0 ? [condition(`${expression} IN (${list.sql})`, ...list.values)] : []
  return any(values.includes(null) ? [...within, condition(`${expression} IS NULL`)] : within)
}

function joined(conditions: readonly Condition[], word: string, none: string): Condition {
  const sql = conditions.map((each) => each.sql).join(word)
  return { sql: sql === '' ? none : sql, values: conditions.flatMap(({ values }) => values) }
}
