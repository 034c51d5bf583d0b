import { folded, lengthOf, untilDomain, withMarks } from './search-text.ts'
import type { Scalar } from './read-model-store.ts'

/**
 * Search in MongoDB: every document has a list of short pieces of its texts (grams), indexed with has an entry a piece,
 * newest documents last. So a common piece fills a page with the first few, and a rare one has few.
 *
 * Queries of up to four characters are looked up by pieces of three, longer ones by pieces of five, which are rare. One
 * or two characters match only the beginnings of words, which are pieces of their own. Then the stored text decides.
 */

/** Folding removes control characters, so these never occur in a text. */
const MARK = '\u0002'
const BETWEEN_TEXTS = '\u0001'
const BEGINNINGS = new RegExp(`(?<=${MARK})[^${MARK}${BETWEEN_TEXTS}]{1,2}`, 'gu')

/** The maximum of pieces looked up: more would not narrow a query down further. */
const GRAMS_ASKED_FOR = 4

/** What is stored of a document's texts. */
export interface SearchText {
  readonly search: string
  readonly grams: string[]
}

export function searchText(texts: readonly Scalar[]): SearchText {
  const plain = texts.flatMap((text) => (typeof text === 'string' && text !== '' ? [folded(text)] : []))
  const search = plain.map((text) => withMarks(text, MARK)).join(BETWEEN_TEXTS)
  const grams = new Set<string>()
  for (const text of plain) for (const length of [3, 5]) for (const gram of gramsOf(text, length)) grams.add(gram)
  for (const [beginning] of search.matchAll(BEGINNINGS)) {
    grams.add(MARK + beginning)
    grams.add(MARK + [...beginning][0])
  }
  return { search, grams: [...grams] }
}

/** A search as it is looked up. */
export interface Search {
  /** All of these are pieces of every document that matches. */
  readonly grams: readonly string[]
  /** Part of the stored text of those and of no other; undefined where the pieces suffice. */
  readonly needle: string | undefined
}

/** @returns 'all' for a blank query, 'nothing' for one that no text can match. */
export function searchFor(query: string | undefined): Search | 'all' | 'nothing' {
  if (query === undefined || query.trim() === '') return 'all'
  const text = folded(query)
  const marked = withMarks(text, MARK)
  const startsWithWord = marked.startsWith(MARK)
  if (lengthOf(text) < 3) return startsWithWord ? { grams: [marked], needle: undefined } : 'nothing'
  // A query may begin within a word.
  const needle = startsWithWord ? marked.slice(MARK.length) : marked
  const telling = untilDomain(text)
  return {
    grams: some(text.length < 5 ? gramsOf(text, 3) : gramsOf(telling, 5)),
    needle: text.length === 3 ? undefined : needle,
  }
}

function gramsOf(text: string, length: number): string[] {
  return Array.from({ length: Math.max(0, text.length - length + 1) }, (_, n) => text.slice(n, n + length))
}

/** A few of many, from the first to the last. */
function some(grams: readonly string[]): string[] {
  if (grams.length <= GRAMS_ASKED_FOR) return [...new Set(grams)]
  return [
    ...new Set(
      Array.from(
        { length: GRAMS_ASKED_FOR },
        (_, n) => grams[Math.round((n * (grams.length - 1)) / (GRAMS_ASKED_FOR - 1))] ?? '',
      ),
    ),
  ]
}
