import { createHash } from 'node:crypto'
import { parseXml, XmlCdata, XmlElement, XmlText } from '@rgrove/parse-xml'
import { Refused } from '#services/event-sourcing/refusal.ts'
import type { FirmLogo } from '../firm.ts'
import { LARGEST_LOGO, MOST_LOGO_PIXELS } from '../firm-vocabulary.ts'

/** What a file is, is read in it, never in its name or in what a browser says of it. */

/**
 * The logo in a file.
 *
 * @param content Base64.
 * @throws {Refused} invalid, with why it cannot be shown.
 */
export function readLogo(content: string): FirmLogo {
  const bytes = Buffer.from(content, 'base64')
  if (bytes.length === 0) refuse('Please choose a file')
  if (bytes.length > LARGEST_LOGO) refuse(`The file must be at most ${LARGEST_LOGO / 1024} KB`)
  const { type, width, height } = bytes.subarray(0, 8).equals(PNG_SIGNATURE)
    ? { type: 'image/png' as const, ...sizeOfPng(bytes) }
    : { type: 'image/svg+xml' as const, ...sizeOfSvg(bytes) }
  if (Math.min(width, height) < 1) refuse('The picture has no width or no height')
  if (Math.max(width, height) > MOST_LOGO_PIXELS)
    refuse(
      `The picture is ${width} by ${height} pixels; at most ${MOST_LOGO_PIXELS} by ${MOST_LOGO_PIXELS} are allowed`,
    )
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  return { type, content: bytes.toString('base64'), sha256, width: Math.round(width), height: Math.round(height) }
}

function refuse(why: string): never {
  throw new Refused('invalid', why, 'content')
}

const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex')

/** The chunks are whole, begin with IHDR and end with IEND: nothing hides behind the picture (RFC 2083, 3 and 4). */
function sizeOfPng(bytes: Buffer): { width: number; height: number } {
  const broken = 'The PNG file is damaged, or something else is in it'
  const names: string[] = []
  let at = PNG_SIGNATURE.length
  while (at < bytes.length) {
    if (at + 12 > bytes.length) refuse(broken)
    names.push(bytes.toString('latin1', at + 4, at + 8))
    at += 12 + bytes.readUInt32BE(at)
  }
  if (at !== bytes.length || names[0] !== 'IHDR' || names.at(-1) !== 'IEND' || !names.includes('IDAT')) refuse(broken)
  // An animation would move in the header of every page.
  if (names.includes('acTL')) refuse('The picture moves; please use one that stands still')
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
}

/** Shapes, text and colours. What runs, moves, loads or leads somewhere is not among them. */
const elements = new Set(
  'svg g path rect circle ellipse line polyline polygon defs linearGradient radialGradient stop clipPath mask pattern symbol use text tspan title desc style metadata'.split(
    ' ',
  ),
)

function sizeOfSvg(bytes: Buffer): { width: number; height: number } {
  const root = rootOf(bytes)
  if (root.name !== 'svg' || root.attributes['xmlns'] !== 'http://www.w3.org/2000/svg')
    refuse('The file is neither a PNG nor an SVG picture')
  assertHarmless(root)
  const { width, height, viewBox } = root.attributes
  const [, , boxWidth, boxHeight] = (viewBox ?? '')
    .trim()
    .split(/[\s,]+/)
    .map(Number)
  const size = { width: pixels(width) ?? boxWidth, height: pixels(height) ?? boxHeight }
  if (!size.width || !size.height) refuse('The SVG file must say its size: by width and height, or by viewBox')
  return { width: size.width, height: size.height }
}

/** The root element of a document without a DTD. */
function rootOf(bytes: Buffer): XmlElement {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    refuse('The file is neither a PNG nor an SVG picture')
  }
  if (/<!DOCTYPE|<!ENTITY|<\?(?!xml\s)/i.test(text))
    refuse('The SVG file has a document type or an instruction for programs; please save it without')
  try {
    const { root } = parseXml(text)
    if (root) return root
  } catch {
    // Whatever the parser says, it is for programmers.
  }
  return refuse('The file is neither a PNG nor an SVG picture')
}

/** @throws {Refused} for anything that runs, or that would be loaded from elsewhere. */
function assertHarmless(element: XmlElement): void {
  const drawnPrefixes = prefixesOf(element)
  const waiting = [element]
  for (let one = waiting.pop(); one; one = waiting.pop()) {
    // Drawing programs keep notes of their own in other namespaces, which no browser draws.
    const [prefix = '', local] = one.name.includes(':') ? one.name.split(':') : [undefined, one.name]
    const isForeign = one.name.includes(':') && !drawnPrefixes.has(prefix)
    if (!isForeign && !elements.has(local ?? ''))
      refuse(`The SVG file has <${one.name}> in it; a logo may only have shapes, text and colours`)
    for (const [name, value] of Object.entries(one.attributes)) {
      if (/^on/i.test(name)) refuse(`The SVG file has a script in it (${name})`)
      if (/^(.*:)?(href|src)$/i.test(name) && !value.startsWith('#'))
        refuse(`The SVG file refers to something outside it (${name}); please save it with everything in it`)
      if (!name.startsWith('xmlns')) assertOwnStyles(value)
    }
    for (const child of one.children) {
      if (child instanceof XmlElement) waiting.push(child)
      else if (one.name === 'style' && (child instanceof XmlText || child instanceof XmlCdata))
        assertOwnStyles(child.text)
    }
  }
}

/** The prefixes under which elements of SVG and HTML stand anywhere in a document. */
function prefixesOf(root: XmlElement): ReadonlySet<string> {
  const prefixes = new Set<string>()
  const waiting = [root]
  for (let one = waiting.pop(); one; one = waiting.pop()) {
    for (const [name, value] of Object.entries(one.attributes))
      if (name.startsWith('xmlns:') && /2000\/svg|1999\/xhtml/.test(value)) prefixes.add(name.slice('xmlns:'.length))
    waiting.push(...one.children.filter((child) => child instanceof XmlElement))
  }
  return prefixes
}

/** An escape could write any of these words in other letters. */
function assertOwnStyles(text: string): void {
  if (/@import|@font-face|javascript:|image-set\(|\\/i.test(text) || /url\(\s*(?!["']?#)/i.test(text))
    refuse('The SVG file refers to something outside it in its styles; please save it with everything in it')
}

/** The value of '24', '24px' or '24.5'; undefined for one in other units or in percent. */
function pixels(length: string | undefined): number | undefined {
  const [, number] = /^\s*([\d.]+)(?:px)?\s*$/.exec(length ?? '') ?? []
  return number === undefined ? undefined : Number(number)
}
