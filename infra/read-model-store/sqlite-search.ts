import { randomInt } from 'node:crypto'
import { folded, lengthOf, wordStarts } from './search-text.ts'
import type { Scalar } from './read-model-store.ts'

/**
 * Search in SQLite: FTS5 indexes every three neighbouring characters, and finds a longer text as a phrase
 * of those. Fewer than three characters match only the beginnings of words: words are added to the text behind two
 * marks, so that even a single letter makes three characters.
 */

/** Folding removes control characters, so these never occur in a text. */
const MARK = '\u0002'
const BETWEEN_TEXTS = '\u0001'
/** Characters of a piece: three would be in too many documents. */
const PIECE = 8

/** What is stored of a document's texts. */
export function searchText(texts: readonly Scalar[]): string {
  let search = ''
  const starts = new Set<string>()
  for (const each of texts) {
    if (typeof each !== 'string' || each === '') continue
    const text = folded(each)
    search += text + BETWEEN_TEXTS
    for (const start of wordStarts(text)) starts.add(start)
  }
  for (const start of starts) search += MARK + MARK + start
  return search
}

/**
 * @returns The FTS5 query that finds what contains a text; 'all' for a blank one, 'nothing' for one that no text can
 * match.
 */
export function phraseFor(query: string | undefined): string {
  if (query === undefined || query.trim() === '') return 'all'
  const text = folded(query)
  if (lengthOf(text) >= 3) return phraseOf(text)
  if (wordStarts(text)[0] !== text) return 'nothing'
  return phraseOf([...(MARK + MARK + text)].slice(-3).join(''))
}

/** A few neighbouring characters of what is stored, anywhere in it. */
export function somePieceOf(stored: string): string {
  const characters = [...stored]
  const from = randomInt(Math.max(1, characters.length - PIECE + 1))
  return characters.slice(from, from + PIECE).join('')
}

/** The FTS5 query that finds a text where it is stored. */
export function phraseOf(text: string): string {
  return `"${text.replaceAll('"', '""')}"`
}
