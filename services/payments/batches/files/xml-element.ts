import { parseXml, type XmlDocument, XmlElement, XmlError } from '@rgrove/parse-xml'
import { UnreadableFile } from './bank-answer.ts'

/** An element of an ISO 20022 message, read by the local names of its children. */
export interface Element {
  readonly line: number
  /** The text of the element and of all in it, trimmed. */
  readonly text: string
  attribute(name: string): string | undefined
  /** The children of a name. */
  all(name: string): readonly Element[]
  /** The only element at a path. @throws {UnreadableFile} where there are several. */
  at(...path: readonly string[]): Element | undefined
}

/**
 * The root of a message, an element `Document` of a namespace that `namespace` accepts.
 *
 * @throws {UnreadableFile} for anything else: not well formed, with a DTD, of another encoding or message.
 */
export function messageIn(text: string, message: string, namespace: RegExp): Element {
  const document = documentIn(text)
  const { root } = document
  const lineOf = lineCounter(text)
  if (!root) throw new UnreadableFile('Line 1: there is no XML element')
  const [local, prefix] = nameOf(root.name)
  const declared = root.attributes[prefix === undefined ? 'xmlns' : `xmlns:${prefix}`]
  if (local !== 'Document' || declared === undefined || !namespace.test(declared))
    throw new UnreadableFile(
      `Line ${lineOf(root.start)}: this is no ${message}, but ${root.name}${declared === undefined ? '' : ` of ${declared}`}`,
    )
  return elementOf(root, lineOf)
}

function documentIn(text: string): XmlDocument {
  // A DTD is refused before the parser meets its entities.
  const dtd = /<!DOCTYPE/i.exec(text)
  if (dtd) throw new UnreadableFile(`Line ${lineCounter(text)(dtd.index)}: the file has a DTD, which no bank sends`)
  const encoding = /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([^"']*)/.exec(text)?.[1]
  if (encoding !== undefined && !/^(utf-8|us-ascii)$/i.test(encoding))
    throw new UnreadableFile(`Line 1: the file says that it is written in ${encoding}. Export it in UTF-8`)
  try {
    return parseXml(text, { includeOffsets: true })
  } catch (error) {
    if (error instanceof XmlError) {
      const [problem = ''] = error.message.split('\n')
      throw new UnreadableFile(`Line ${error.line}: ${problem.replace(/ \(line \d+, column \d+\)$/, '')}`)
    }
    // The parser descends by recursion: only a hostile file exhausts the stack.
    if (error instanceof RangeError) throw new UnreadableFile('Line 1: the elements are nested too deeply')
    throw error
  }
}

function elementOf(element: XmlElement, lineOf: (offset: number) => number): Element {
  const line = lineOf(element.start)
  const all = (name: string) =>
    element.children.flatMap((child) =>
      child instanceof XmlElement && nameOf(child.name)[0] === name ? [elementOf(child, lineOf)] : [],
    )
  return {
    line,
    get text() {
      return element.text.trim()
    },
    attribute: (name) => element.attributes[name],
    all,
    at(...[name, ...rest]) {
      if (name === undefined) return this
      const [only, second] = all(name)
      if (second) throw new UnreadableFile(`Line ${second.line}: ${element.name} has a second ${name}`)
      return only?.at(...rest)
    },
  }
}

function nameOf(name: string): readonly [local: string, prefix: string | undefined] {
  const colon = name.indexOf(':')
  return colon < 0 ? [name, undefined] : [name.slice(colon + 1), name.slice(0, colon)]
}

/** The lines of offsets in a text, counted from 1. */
function lineCounter(text: string): (offset: number) => number {
  const ends = [...text.matchAll(/\n/g)].map(({ index }) => index)
  return (offset) => {
    let [low, high] = [0, ends.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((ends[middle] ?? 0) < offset) low = middle + 1
      else high = middle
    }
    return low + 1
  }
}
