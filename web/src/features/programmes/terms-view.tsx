import { termsInWords } from '#services/modules/programmes/terms-in-words.ts'
import type { Terms } from './programme-queries.ts'
import { TermsInWordsView } from './terms-in-words-view.tsx'

/** The terms of a programme in plain words, also of a draft that only this browser has. */
export function TermsView({ terms }: { readonly terms: Terms }) {
  return <TermsInWordsView words={termsInWords(terms)} />
}
