import { folded, lengthOf, untilDomain, wordStarts } from './search-text.ts'
import type { Scalar } from './document-store.ts'

/**
 * Search in SQLite: FTS5 indexes every three neighbouring characters, and finds a longer text as a phrase
 * of those. Fewer than three characters match only the beginnings of words: words are added to the text behind two
 * marks, so that even a single letter makes three characters.
 */

/** Folding removes control characters, so these never occur in a text. */
const MARK = '\u0002'
const BETWEEN_TEXTS = '\u0001'

/** The maximum length of a phrase: longer ones take longer and find no fewer documents. */
const LONGEST_PHRASE = 48

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

export interface Search {
  /** Part of the stored text of every document that matches, and of no other. */
  readonly needle: string
  /** An FTS5 query. */
  readonly phrase: string
  /** An FTS5 query for texts that contain every third trigram of the phrase, anywhere: it may find more, and reads a third of the index. */
  readonly parts: string
  /** Whether all that the phrase finds contain the needle. */
  readonly isExact: boolean
}

/** @returns 'all' for a blank query, 'nothing' for one that no text can match. */
export function searchFor(query: string | undefined): Search | 'all' | 'nothing' {
  if (query === undefined || query.trim() === '') return 'all'
  const text = folded(query)
  if (lengthOf(text) >= 3) {
    const telling = [...untilDomain(text)].slice(0, LONGEST_PHRASE).join('')
    return { needle: text, phrase: phraseOf(telling), parts: partsOf(telling), isExact: telling === text }
  }
  if (wordStarts(text)[0] !== text) return 'nothing'
  const needle = MARK + MARK + text
  const phrase = phraseOf([...needle].slice(-3).join(''))
  return { needle, phrase, parts: phrase, isExact: true }
}

function phraseOf(text: string): string {
  return `"${text.replaceAll('"', '""')}"`
}

/** Every third trigram, and the last one. */
function partsOf(text: string): string {
  const threes = new Set([...(text.match(/.{3}/gsu) ?? []), [...text].slice(-3).join('')])
  return [...threes].map(phraseOf).join(' AND ')
}
