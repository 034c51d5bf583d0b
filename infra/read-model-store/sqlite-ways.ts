import type { SqlValue } from '../sqlite/sqlite.ts'
import type { Place } from './cursor.ts'
import { type Collection, LIVING, sqlValue } from './sqlite-collection.ts'
import { all, type Condition, condition, isOneOf, listOf } from './sqlite-conditions.ts'
import { type Search, searchFor } from './sqlite-search.ts'
import type { Query, Scalar } from './read-model-store.ts'

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

/** A source that is an index. */
export interface Lookup extends Source {
  /** The index without the documents, which are better not read where it will do. */
  readonly index: string
  /** A document's number in the index. */
  readonly number: string
  /** What it knows of the question. */
  readonly terms: readonly Term[]
}

/** A way along documents in an order, past those that fail what is `left` to check. */
export interface Walk {
  readonly left: readonly Condition[]
  /** What comes after a place, in stretches that can each be looked up; an OR of them could not. */
  stretchesAfter(place: Place | undefined): Stretch[]
  /** Whether a lookup knows more than this way does. */
  helps(lookup: Lookup): boolean
  /** Selects the first documents of a stretch, reading only those that the lookups have. */
  select(stretch: Stretch, limit: number, lookups: readonly Lookup[]): Condition
  /** Looks no further than a number of documents: selects those that match, and something if there were so many. */
  readonly glance: ((stretch: Stretch, limit: number, most: number) => { readonly found: Condition; readonly more: Condition }) | undefined
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
export function everything({ table }: Collection, { terms, search }: Question): Source {
  return { from: `${table} NOT INDEXED`, conditions: [condition(LIVING)], left: [...terms.map(holds), ...contains(search)] }
}

/** Where documents can be looked up: the search, and the index with most to say. */
export function lookupsOf(collection: Collection, question: Question): Lookup[] {
  const { table, indexed, indexes } = collection
  if (!indexed) return []
  const lookups = question.search ? [inSearch(collection, question, question.search)] : []
  const known = indexes.map(({ name, paths }) => ({ name, terms: leading(paths, question) }))
  const [best] = known.sort((one, other) => other.terms.length - one.terms.length)
  if (!best || best.terms.length === 0) return lookups
  const { name, terms } = best
  const conditions = [condition(LIVING), ...terms.map(holds)]
  const left = [...othersThan(terms, question), ...contains(question.search)]
  const index = `${table} INDEXED BY ${name}`
  return [...lookups, { from: index, index, number: 'seq', conditions, left, terms }]
}

/** The ways to walk in an order, those with most to look up first. */
export function walksOf(collection: Collection, question: Question, order: Order): Walk[] {
  const { table, indexed, indexes } = collection
  const byNumber = order.value === undefined
  const ways: Way[] = []
  for (const { name, paths } of indexed ? indexes : []) {
    const prefix = byNumber ? paths : paths.slice(0, -1)
    const terms = leading(prefix, question)
    const isInOrder = byNumber || paths.at(-1) === order.by
    if (isInOrder && terms.length === prefix.length && terms.filter(isChoice).length <= 1) ways.push({ from: `${table} INDEXED BY ${name}`, terms })
  }
  ways.sort((one, other) => other.terms.length - one.terms.length)
  if (byNumber) ways.push({ from: `${table} NOT INDEXED`, terms: [] })
  const walks = ways.map((way) => alongTable(collection, question, way, order))
  return byNumber && indexed && question.search ? [alongSearch(collection, question, question.search, order), ...walks] : walks
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

/** The table, or an index of it that begins with these terms. */
interface Way {
  readonly from: string
  readonly terms: readonly Term[]
}

function alongTable({ table }: Collection, question: Question, { from, terms }: Way, order: Order): Walk {
  const choice = terms.find(isChoice)
  const base = [condition(LIVING), ...terms.filter((term) => term !== choice).map(holds)]
  const left = [...othersThan(terms, question), ...contains(question.search)]
  const sorted = sortedBy(order)
  const select = (conditions: readonly Condition[], limit: number): Condition => {
    if (!choice) return selection('seq, id, document', from, conditions, sorted, limit)
    // The first few with each of the values, and the first few of those.
    const wanted = listOf(choice.values)
    const each = selection('seq', from, [condition(`${choice.expression} IS wanted.value`), ...conditions], sorted, limit)
    const values = [...wanted.values, ...each.values, limit]
    const documents = `(${wanted.sql}) AS wanted CROSS JOIN ${table} WHERE seq IN (${each.sql})`
    return condition(`SELECT seq, id, document FROM ${documents} ORDER BY ${sorted} LIMIT ?`, ...values)
  }
  return {
    left,
    stretchesAfter: (place) => stretchesAfter(place, order),
    helps: (lookup) => lookup.terms.length === 0 || lookup.terms.some((term) => !terms.includes(term)),
    select: (stretch, limit, lookups) => select([...base, ...stretch, ...lookups.map(isIn), ...left], limit),
    glance: choice ? undefined : (stretch, limit, most) => glance(table, from, [...base, ...stretch], left, sorted, limit, most),
  }
}

/** Along what the search finds, in the order in which documents were made. */
function alongSearch(collection: Collection, question: Question, search: Search, order: Order): Walk {
  const { table, search: searchTable } = collection
  const { from, conditions: base } = inSearch(collection, question, search)
  const left = question.terms.map(holds)
  const check = search.isExact ? [] : contains(search)
  // Numbers are negated there.
  const [beyond, word] = order.direction === 1 ? ['<', 'DESC'] : ['>', 'ASC']
  const sorted = `${searchTable}.rowid ${word}`
  const select = (conditions: readonly Condition[], limit: number): Condition => selection('seq, id, document', from, conditions, sorted, limit)
  return {
    left,
    stretchesAfter: (place) => [place ? [condition(`${searchTable}.rowid ${beyond} ?`, -place.made)] : []],
    helps: (lookup) => lookup.terms.length > 0,
    select: (stretch, limit, lookups) => select([...base, ...stretch, ...lookups.map(isIn), ...check, ...left], limit),
    glance: (stretch, limit, most) => glance(table, from, [...base, ...stretch], [...check, ...left], sorted, limit, most),
  }
}

function inSearch({ table, search: searchTable }: Collection, { terms }: Question, search: Search): Lookup {
  return {
    from: `${searchTable} CROSS JOIN ${table} ON seq = -${searchTable}.rowid`,
    index: `${searchTable}`,
    number: `-${searchTable}.rowid`,
    conditions: [condition(`${searchTable} MATCH ?`, search.match)],
    left: [...terms.map(holds), ...(search.isExact ? [] : contains(search))],
    terms: [],
  }
}

function selection(columns: string, from: string, conditions: readonly Condition[], sorted: string, limit: number): Condition {
  const { sql, values } = all(conditions)
  return condition(`SELECT ${columns} FROM ${from} WHERE ${sql} ORDER BY ${sorted} LIMIT ?`, ...values, limit)
}

/** A subquery with a limit is run as it is, and its rows come in its order. */
function glance(table: string, from: string, conditions: readonly Condition[], left: readonly Condition[], sorted: string, limit: number, most: number) {
  const looked = selection(`${table}.*`, from, conditions, sorted, most)
  const { sql, values } = all(left)
  const found = condition(`SELECT seq, id, document FROM (${looked.sql}) WHERE ${sql} LIMIT ?`, ...looked.values, ...values, limit)
  const last = selection('1', from, conditions, sorted, 1)
  return { found, more: condition(`${last.sql} OFFSET ?`, ...last.values, most - 1) }
}

/** That a document is in a lookup. The + keeps SQLite from beginning there. */
function isIn({ index, conditions, number }: Lookup): Condition {
  const { sql, values } = all(conditions)
  return condition(`+seq IN (SELECT ${number} FROM ${index} WHERE ${sql})`, ...values)
}

/** The terms about the first paths of an index, as far as there are some. */
function leading(paths: readonly string[], { terms }: Question): Term[] {
  const found = paths.map((path) => terms.find((term) => term.path === path))
  const end = found.indexOf(undefined)
  return found.slice(0, end < 0 ? found.length : end).filter((term) => term !== undefined)
}

function othersThan(known: readonly Term[], { terms }: Question): Condition[] {
  return terms.filter((term) => !known.includes(term)).map(holds)
}

function contains(search: Search | undefined): Condition[] {
  return search ? [condition('instr(search, ?) > 0', search.needle)] : []
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
