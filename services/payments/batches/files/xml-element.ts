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
  /** The first element at a path. */
  first(...path: readonly string[]): Element | undefined
  /** The texts of all elements in it that have none in them, except in those of these names. */
  texts(...except: readonly string[]): readonly string[]
}

/**
 * The encoding of a file of XML: by its first bytes, else as it says (XML 1.0, appendix F). Some programs write
 * "utf-16" above a text in UTF-8.
 */
export function encodingOfXml(bytes: Uint8Array): string {
  const [first = 0, second = 0] = bytes
  if (first === 0xef && second === 0xbb) return 'utf-8'
  if ((first === 0xff && second === 0xfe) || (first === 0x3c && second === 0)) return 'utf-16le'
  if ((first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c)) return 'utf-16be'
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, 200))
  const said = /<\?xml[^>]*?\sencoding\s*=\s*["']([^"']*)/.exec(head)?.[1]?.toLowerCase()
  return said === undefined || said === 'us-ascii' || said.startsWith('utf-16') ? 'utf-8' : said
}

/**
 * The message of a file: the only element, named as in `names`, in an element `Document` of a namespace that `namespace`
 * accepts.
 *
 * @throws {UnreadableFile} for anything else: not well formed, with a DTD, of another message, or of two.
 */
export function messageIn(text: string, message: string, namespace: RegExp, ...names: readonly string[]): Element {
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
  assertOneMessage(root, declared, lineOf)
  const [only, second] = elementsIn(root)
  if (second)
    throw new UnreadableFile(
      `Line ${lineOf(second.start)}: the file mixes two messages, ${only?.name} and ${second.name}`,
    )
  if (!only || !names.includes(nameOf(only.name)[0]))
    throw new UnreadableFile(`Line ${lineOf((only ?? root).start)}: the file has no ${names[0]}`)
  return elementOf(only, lineOf)
}

/** No message of ISO 20022 nests its elements half as deep. */
const DEEPEST = 100

/** @throws {UnreadableFile} where an element is of another message of ISO 20022 than the document, or too deep in it. */
function assertOneMessage(element: XmlElement, declared: string, lineOf: (offset: number) => number, depth = 0): void {
  if (depth > DEEPEST) throw new UnreadableFile(`Line ${lineOf(element.start)}: the elements are nested too deeply`)
  const other = Object.entries(element.attributes).find(
    ([name, value]) => /^xmlns(:|$)/.test(name) && value !== declared && /\b[a-z]{4}\.\d{3}\.\d{3}\.\d{2}$/.test(value),
  )
  if (other)
    throw new UnreadableFile(`Line ${lineOf(element.start)}: the file mixes two messages, ${declared} and ${other[1]}`)
  for (const child of elementsIn(element)) assertOneMessage(child, declared, lineOf, depth + 1)
}

function elementsIn(element: XmlElement): readonly XmlElement[] {
  return element.children.filter((child) => child instanceof XmlElement)
}

function documentIn(text: string): XmlDocument {
  // A DTD is refused before the parser meets its entities.
  const dtd = /<!DOCTYPE/i.exec(text)
  if (dtd) throw new UnreadableFile(`Line ${lineCounter(text)(dtd.index)}: the file has a DTD, which no bank sends`)
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
    elementsIn(element).flatMap((child) => (nameOf(child.name)[0] === name ? [elementOf(child, lineOf)] : []))
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
    first(...[name, ...rest]) {
      return name === undefined ? this : all(name)[0]?.first(...rest)
    },
    texts: (...except) => textsIn(element, except),
  }
}

function textsIn(element: XmlElement, except: readonly string[]): readonly string[] {
  const inside = elementsIn(element)
  if (inside.length === 0) return [element.text]
  return inside.filter(({ name }) => !except.includes(nameOf(name)[0])).flatMap((child) => textsIn(child, except))
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
