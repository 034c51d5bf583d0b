/** Characters that a terminal obeys or that reorder a line: control characters, line separators and directions. */
const UNSAFE = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu

const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/**
 * Text that others wrote (names, reasons, files), as one line for a terminal, which shows such characters instead of
 * obeying them.
 */
export function asOneLine(text: string): string {
  return text.replaceAll(UNSAFE, escaped)
}

/** The same for output of several lines. JSON stays the same JSON. */
export function asLines(text: string): string {
  return text.replaceAll(UNSAFE, (character) =>
    character === '\n' || character === '\t' ? character : escaped(character),
  )
}
