import type { SqlValue } from '../sqlite/sqlite.ts'
import type { Place } from './cursor.ts'
import { type Collection, LIVING, sqlValue } from './sqlite-collection.ts'
import { all, type Condition, condition, isOneOf, listOf } from './sqlite-conditions.ts'
import { type Search, searchFor } from './sqlite-search.ts'
import type { Query, Scalar } from './view-store.ts'

/** The ways there are to the documents that a query asks for. */

/** What documents are asked for. */
export interface Question {
  readonly terms: readonly Term[]
  readonly search: Search | undefined
}

/** That a path leads to one of these values. */
interface Term {
  readonly path: string
  readonly expression: string
  readonly values: readonly SqlValue[]
}

export interface Order {
  readonly by: string
  /** What is sorted by in SQL; undefined for the order in which documents were made. */
  readonly value: string | undefined
  readonly direction: 1 | -1
}

/** A place to fetch documents from: what can be looked up there, and what is left to check for each. */
export interface Source {
  readonly from: string
  readonly conditions: readonly Condition[]
  readonly left: readonly Condition[]
}

/** A way along documents in an order, past those that fail what is `left` to check. */
export interface Walk {
  readonly left: readonly Condition[]
  /** What comes after a place, in stretches that can each be looked up; an OR of them could not. */
  stretchesAfter(place: Place | undefined): Stretch[]
  /** Selects the first documents of a stretch. */
  statement(stretch: Stretch, limit: number): Condition
}

type Stretch = readonly Condition[]

/** @returns Undefined for what no document can answer. */
export function questionOf(collection: Collection, { where = {}, search }: Pick<Query, 'where' | 'search'>): Question | undefined {
  const terms = Object.entries(where).map(([path, wanted]): Term => {
    const values = new Set((isList(wanted) ? wanted : [wanted]).map(sqlValue))
    return { path, expression: collection.valueOf(path), values: [...values] }
  })
  const sought = searchFor(search)
  if (terms.some(({ values }) => values.length === 0)) return undefined
  if (sought === 'all') return { terms, search: undefined }
  return sought === 'nothing' || !collection.search ? undefined : { terms, search: sought }
}

/** All documents, each to be checked. */
export function everything({ table }: Collection, question: Question): Source {
  return { from: `${table} NOT INDEXED`, conditions: [condition(LIVING)], left: checks(question, []) }
}

/** Where documents can be looked up: the search, and the index with most to say. */
export function sourcesOf(collection: Collection, question: Question): Source[] {
  const { table, indexed, indexes } = collection
  if (!indexed) return []
  const sources: Source[] = []
  if (question.search) sources.push({ ...inSearch(collection, question.search), left: checks(question, []) })
  const lookups = indexes.map(({ name, paths }) => ({ name, terms: leading(paths, question) }))
  const [best] = lookups.sort((one, other) => other.terms.length - one.terms.length)
  if (best && best.terms.length > 0) {
    const conditions = [condition(LIVING), ...best.terms.map(holds)]
    sources.push({ from: `${table} INDEXED BY ${best.name}`, conditions, left: checks(question, best.terms) })
  }
  return sources
}

/** The ways to walk in an order, those with most to look up first. */
export function walksOf(collection: Collection, question: Question, order: Order): Walk[] {
  const { indexed, indexes } = collection
  const byNumber = order.value === undefined
  const walks: { readonly known: number; readonly walk: Walk }[] = []
  for (const { name, paths } of indexed ? indexes : []) {
    const prefix = byNumber ? paths : paths.slice(0, -1)
    const terms = leading(prefix, question)
    const isInOrder = byNumber || paths.at(-1) === order.by
    if (!isInOrder || terms.length < prefix.length || terms.filter(isChoice).length > 1) continue
    walks.push({ known: terms.length, walk: alongTable(collection, `INDEXED BY ${name}`, question, terms, order) })
  }
  walks.sort((one, other) => other.known - one.known)
  const sorted = walks.map(({ walk }) => walk)
  if (!byNumber) return sorted
  const alongAll = alongTable(collection, 'NOT INDEXED', question, [], order)
  return indexed && question.search ? [alongSearch(collection, question, question.search, order), ...sorted, alongAll] : [...sorted, alongAll]
}

/** What comes after a place in an order, in stretches of an index. */
export function stretchesAfter(place: Place | undefined, { value, direction }: Order): Stretch[] {
  if (!place) return [[]]
  const beyond = direction === 1 ? '>' : '<'
  const made = condition(`seq ${beyond} ?`, place.made)
  if (value === undefined) return [[made]]
  const isNull = condition(`${value} IS NULL`)
  const last = sqlValue(place.value)
  // Null comes before minus infinity, and that before everything else.
  if (last === null) return direction === 1 ? [[isNull, made], [condition(`${value} >= -9e999`)]] : [[isNull, made]]
  const stretches = [[condition(`${value} = ?`, last), made], [condition(`${value} ${beyond} ?`, last)]]
  return direction === 1 ? stretches : [...stretches, [isNull]]
}

/** For ORDER BY. */
export function sortedBy({ value, direction }: Order): string {
  const word = direction === 1 ? 'ASC' : 'DESC'
  return value === undefined ? `seq ${word}` : `${value} ${word}, seq ${word}`
}

/** Along a table or one of its indexes, where all of these terms hold. */
function alongTable({ table }: Collection, how: string, question: Question, terms: readonly Term[], order: Order): Walk {
  const choice = terms.find(isChoice)
  const fixed = terms.filter((term) => term !== choice).map(holds)
  const left = checks(question, terms)
  return {
    left,
    stretchesAfter: (place) => stretchesAfter(place, order),
    statement(stretch, limit) {
      const conditions = [condition(LIVING), ...fixed, ...stretch, ...left]
      if (!choice) {
        const { sql, values } = all(conditions)
        return condition(`SELECT seq, id, document FROM ${table} ${how} WHERE ${sql} ORDER BY ${sortedBy(order)} LIMIT ?`, ...values, limit)
      }
      // The first few with each of the values, and the first few of those.
      const wanted = listOf(choice.values)
      const { sql, values } = all([condition(`${choice.expression} IS wanted.value`), ...conditions])
      return condition(
        `SELECT seq, id, document FROM (${wanted.sql}) AS wanted CROSS JOIN ${table}
         WHERE seq IN (SELECT seq FROM ${table} ${how} WHERE ${sql} ORDER BY ${sortedBy(order)} LIMIT ?)
         ORDER BY ${sortedBy(order)} LIMIT ?`,
        ...wanted.values,
        ...values,
        limit,
        limit,
      )
    },
  }
}

/** Along what the search finds, in the order in which documents were made. */
function alongSearch(collection: Collection, question: Question, search: Search, { direction }: Order): Walk {
  const { from, conditions } = inSearch(collection, search)
  const left = question.terms.map(holds)
  // Numbers are negated there.
  const [beyond, word] = direction === 1 ? ['<', 'DESC'] : ['>', 'ASC']
  return {
    left,
    stretchesAfter: (place) => [place ? [condition(`${collection.search}.rowid ${beyond} ?`, -place.made)] : []],
    statement(stretch, limit) {
      const { sql, values } = all([...conditions, contains(search), ...stretch, ...left])
      const order = `${collection.search}.rowid ${word}`
      return condition(`SELECT seq, id, document FROM ${from} WHERE ${sql} ORDER BY ${order} LIMIT ?`, ...values, limit)
    },
  }
}

function inSearch({ table, search: searchTable }: Collection, { match }: Search): Pick<Source, 'from' | 'conditions'> {
  return {
    from: `${searchTable} CROSS JOIN ${table} ON seq = -${searchTable}.rowid`,
    conditions: [condition(`${searchTable} MATCH ?`, match)],
  }
}

/** What is to be checked of a question beyond these terms. */
function checks({ terms, search }: Question, known: readonly Term[]): Condition[] {
  const left = terms.filter((term) => !known.includes(term)).map(holds)
  return search ? [...left, contains(search)] : left
}

/** The terms about the first paths of an index, as far as there are some. */
function leading(paths: readonly string[], { terms }: Question): Term[] {
  const found = paths.map((path) => terms.find((term) => term.path === path))
  const end = found.indexOf(undefined)
  return found.slice(0, end < 0 ? found.length : end).filter((term) => term !== undefined)
}

function contains({ needle }: Search): Condition {
  return condition('instr(search, ?) > 0', needle)
}

function holds({ expression, values }: Term): Condition {
  return isOneOf(expression, values)
}

function isChoice({ values }: Term): boolean {
  return values.length > 1
}

function isList(wanted: Scalar | readonly Scalar[]): wanted is readonly Scalar[] {
  return Array.isArray(wanted)
}
