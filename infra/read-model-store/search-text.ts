/** How `search` compares texts, the same in every adapter. */

const PLAIN = /^[\x20-\x7e]*$/
const UNSEEN = /[\p{Cc}\p{Cs}]/gu
const PLAIN_WORD_STARTS = /(?<![A-Z0-9])(?=[A-Z0-9])/g
const PLAIN_FIRST_TWO = /(?<![A-Z0-9])[A-Z0-9].?/g
const FIRST_TWO = /(?<![\p{L}\p{M}\p{N}])[\p{L}\p{M}\p{N}].?/gsu
const WORD_STARTS = /(?<![\p{L}\p{M}\p{N}])(?=[\p{L}\p{M}\p{N}])/gu

/**
 * A text without letter case and with normalised accents. Control characters become spaces, so that an
 * adapter may use them as marks.
 */
export function folded(text: string): string {
  if (PLAIN.test(text)) return text.toUpperCase()
  // Upper case rather than lower: a Greek sigma has two lower-case forms, depending on what follows.
  return text.normalize('NFC').toUpperCase().replace(UNSEEN, ' ')
}

/** A folded text with a mark before each of its words. */
export function withMarks(text: string, mark: string): string {
  return text.replace(PLAIN.test(text) ? PLAIN_WORD_STARTS : WORD_STARTS, mark)
}

/** The first two characters of each word of a folded text: the second may be any. */
export function wordStarts(text: string): readonly string[] {
  return text.match(PLAIN.test(text) ? PLAIN_FIRST_TWO : FIRST_TWO) ?? []
}

/** Very many addresses share the part after the @: looking it up only takes time. */
export function untilDomain(text: string): string {
  const at = text.indexOf('@')
  return at > 0 ? text.slice(0, at + 5) : text
}

/** The number of characters as a person counts, near enough: code points. */
export function lengthOf(text: string): number {
  let length = 0
  for (const _ of text) length++
  return length
}
