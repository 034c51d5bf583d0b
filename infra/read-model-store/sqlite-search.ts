import type { Sqlite, SqlValue } from '../sqlite/sqlite.ts'
import { inRows } from './sqlite-rows.ts'
import { folded, lengthOf, untilDomain, withMarks } from './search-text.ts'

/**
 * How texts are searched in SQLite: FTS5 finds candidates by short pieces of text (grams), then the stored text decides.
 *
 * Queries of up to four characters are looked up by grams of three, which FTS5 cuts itself. Those are common in a
 * million names, and intersecting many common ones takes time in proportion to the documents. So longer queries are
 * looked up by grams of five, which are rare. They go into the same index in a disguise: a private-use character stands
 * for each three neighbours, and FTS5 joins three of those, which span five.
 *
 * For one or two characters, which match only the beginnings of words, each word begins with two marks: with them those
 * make a gram of three, too.
 */

/** Folding leaves no control characters: these can't be in a text. */
const MARK = '\u0002'
const BETWEEN_TEXTS = '\u0001'
const WORD = MARK + MARK

/** More of the grams of a query than this narrow it down no further. */
const GRAMS_ASKED_FOR = 8

/** What is stored of a document's texts to search in. */
export function searchText(texts: readonly SqlValue[]): string {
  const marked = texts.flatMap((text) => (typeof text === 'string' && text !== '' ? [withMarks(folded(text), WORD)] : []))
  return marked.join(BETWEEN_TEXTS)
}

/** A document's stored text with its number. Rows in FTS5 have that negated: its natural order is then newest first. */
export interface NumberedText {
  readonly seq: number
  readonly text: string
}

/** Takes documents into the search. */
export function addTexts(database: Sqlite, table: string, texts: readonly NumberedText[]): void {
  const rows = inOrder(texts).flatMap(({ seq, text }) => [-seq, indexText(text)])
  inRows(database, rows, 2, (places) => `INSERT INTO ${table} (rowid, text) VALUES ${places}`)
}

/** Takes documents out of the search, with exactly the texts they were taken in with. */
export function removeTexts(database: Sqlite, table: string, texts: readonly NumberedText[]): void {
  const rows = inOrder(texts).flatMap(({ seq, text }) => ['delete', -seq, indexText(text)])
  inRows(database, rows, 3, (places) => `INSERT INTO ${table} (${table}, rowid, text) VALUES ${places}`)
}

/** FTS5 writes out what it has gathered whenever a row comes before the last one. */
function inOrder(texts: readonly NumberedText[]): NumberedText[] {
  return texts.filter(({ text }) => text !== '').sort((a, b) => b.seq - a.seq)
}

/** What FTS5 cuts into grams. */
function indexText(stored: string): string {
  return stored + disguised(stored.replaceAll(MARK, ''))
}

/** What somebody looks for. */
export interface Search {
  /** Part of the stored text of all that match, and of no other. */
  readonly needle: string
  /** An FTS5 query that all those match, and perhaps a few others. */
  readonly match: string
  /** No others. */
  readonly isExact: boolean
}

/** @returns 'all' for a blank query, 'nothing' for one that no text can match. */
export function searchFor(query: string | undefined): Search | 'all' | 'nothing' {
  if (query === undefined || query.trim() === '') return 'all'
  const text = folded(query)
  const marked = withMarks(text, WORD)
  const startsWithWord = marked.startsWith(WORD)
  // Marks come in pairs, so the last of one letter's or of two letters' three tell as much as all.
  if (lengthOf(text) < 3) return startsWithWord ? { needle: marked, ...asking([[...marked].slice(-3).join('')], true) } : 'nothing'
  // Whether a word begins where the query begins is not for the query to say.
  const needle = startsWithWord ? marked.slice(WORD.length) : marked
  if (text.length >= 5) return { needle, ...asking(gramsOf([...disguised(untilDomain(text))]), false) }
  const grams = gramsOf([...needle])
  return { needle, ...asking(grams, grams[0] === needle) }
}

function gramsOf(characters: readonly string[]): string[] {
  const grams = characters.slice(2).map((last, n) => `${characters[n]}${characters[n + 1]}${last}`)
  if (grams.length <= GRAMS_ASKED_FOR) return grams
  return Array.from({ length: GRAMS_ASKED_FOR }, (_, n) => grams[Math.round((n * (grams.length - 1)) / (GRAMS_ASKED_FOR - 1))] ?? '')
}

function asking(grams: readonly string[], isExact: boolean): Pick<Search, 'match' | 'isExact'> {
  return { match: [...new Set(grams)].map((gram) => `"${gram.replaceAll('"', '""')}"`).join(' AND '), isExact }
}

/** One private-use character for each three neighbours, two fewer than there are. */
function disguised(text: string): string {
  let characters = ''
  let before = text.charCodeAt(0)
  let middle = text.charCodeAt(1)
  for (let n = 2; n < text.length; n++) {
    const last = text.charCodeAt(n)
    characters += String.fromCharCode(0xe000 + ((before * 6151 + middle * 79 + last) % 6400))
    before = middle
    middle = last
  }
  return characters
}
