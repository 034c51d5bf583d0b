/** JSON that can be read in one way only, and its one canonical text. Runs in browsers. */

/** A value of our files: no fractions, no numbers that JSON can write in several ways. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [name: string]: JsonValue }

/**
 * The canonical text of a value (RFC 8785): names sorted by UTF-16 code units, no white space.
 *
 * @throws {TypeError} for half a surrogate pair, which has no UTF-8, and for a number that is no safe integer.
 */
export function canonicalJson(value: JsonValue): string {
  if (typeof value === 'string' && /\p{Surrogate}/u.test(value)) throw new TypeError('A text has half a surrogate pair')
  if (typeof value === 'number' && !Number.isSafeInteger(value)) throw new TypeError(`${value} is no whole number`)
  if (isList(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return `{${members.map(([name, each]) => `${canonicalJson(name)}:${canonicalJson(each)}`).join(',')}}`
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value)
}

/** JSON with white space outside of its texts. */
const spaces = /("(?:[^"\\]|\\.)*")|\s+/g

/**
 * Parses JSON that says each thing once: duplicate names, and numbers or texts written in another way than
 * JSON.stringify writes them, are refused. White space does not matter.
 *
 * @throws {SyntaxError} for a text that is no JSON.
 * @throws {AmbiguousJson} for JSON that other programs may read differently.
 */
export function parseStrictly(text: string): unknown {
  const value: unknown = JSON.parse(text)
  // JSON.parse keeps only the last member of a name: the text is then longer than what was read.
  if (JSON.stringify(value) !== text.replace(spaces, '$1'))
    throw new AmbiguousJson('It says something twice, or in an unusual way')
  return value
}

export class AmbiguousJson extends Error {
  override readonly name = 'AmbiguousJson'
}
