import { deflateSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { LARGEST_LOGO } from '../firm-vocabulary.ts'
import { readLogo } from './logo-file.ts'

const base64 = (content: string | Buffer) => Buffer.from(content).toString('base64')
const svg = (inside: string, attributes = 'width="24" height="12"') =>
  base64(`<svg xmlns="http://www.w3.org/2000/svg" ${attributes}>${inside}</svg>`)

/** A PNG of these chunks. */
function png(...chunks: readonly (readonly [name: string, content: Buffer])[]): Buffer {
  const written = chunks.map(([name, content]) => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(content.length)
    return Buffer.concat([length, Buffer.from(name, 'latin1'), content, Buffer.alloc(4)])
  })
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), ...written])
}
const header = (width: number, height: number): readonly [string, Buffer] => {
  const content = Buffer.alloc(13)
  content.writeUInt32BE(width, 0)
  content.writeUInt32BE(height, 4)
  return ['IHDR', content]
}
const pixels = ['IDAT', deflateSync(Buffer.alloc(5))] as const
const end = ['IEND', Buffer.alloc(0)] as const

describe('a logo', () => {
  it('is a picture of shapes, text and colours, with its size', () => {
    const inside = `<defs><linearGradient id="a"><stop stop-color="#123"/></linearGradient></defs>
      <style>.b{fill:url(#a)}</style><g class="b"><path d="M0 0h4v4z"/><use href="#a"/><text>N</text></g>`
    expect(readLogo(svg(inside))).toMatchObject({ type: 'image/svg+xml', width: 24, height: 12 })
    expect(readLogo(svg('<path d="M0 0"/>', 'viewBox="0 0 120 30.4"'))).toMatchObject({ width: 120, height: 30 })
    expect(readLogo(svg('<path/>', 'width="24px" height="24" xmlns:i="urn:i" i:version="1"'))).toBeDefined()
    const drawn = `<ink:note xmlns:ink="urn:ink"/><svg:path xmlns:svg="http://www.w3.org/2000/svg" d="M0 0"/>`
    expect(readLogo(svg(drawn))).toBeDefined()
    expect(readLogo(base64(png(header(64, 32), pixels, end)))).toMatchObject({
      type: 'image/png',
      width: 64,
      height: 32,
    })
  })

  it.each([
    ['a script', '<script>alert(1)</script>'],
    ['a script of another namespace', '<x:script xmlns:x="http://www.w3.org/2000/svg">alert(1)</x:script>'],
    ['a handler', '<path onload="alert(1)"/>'],
    ['a page in it', '<foreignObject><body xmlns="http://www.w3.org/1999/xhtml"/></foreignObject>'],
    ['a picture from elsewhere', '<image href="https://evil.example/a.png"/>'],
    ['a reference elsewhere', '<use href="https://evil.example/a.svg#b"/>'],
    ['a reference with data', '<use href="data:image/svg+xml,a#b"/>'],
    ['an old reference elsewhere', '<use xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="//evil.example/a#b"/>'],
    ['a link', '<a href="#b"><path/></a>'],
    ['a style from elsewhere', '<style>@import "https://evil.example/a.css";</style>'],
    ['a style in CDATA', '<style><![CDATA[@import "https://evil.example/a.css";]]></style>'],
    ['an escaped style', '<style>@\\69mport "https://evil.example/a.css";</style>'],
    ['a fill from elsewhere', '<path fill="url(https://evil.example/a#b)"/>'],
    ['a style attribute from elsewhere', `<path style="fill:url('//evil.example/a#b')"/>`],
    ['an animation', '<set attributeName="href" to="javascript:alert(1)"/>'],
    ['an entity', '&evil;'],
  ])('has no %s', (_, inside) => {
    expect(() => readLogo(svg(inside))).toThrow()
  })

  it('has no document type, no instruction, and no other encoding', () => {
    const picture = '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>'
    expect(readLogo(base64(`<?xml version="1.0" encoding="UTF-8"?>${picture}`))).toBeDefined()
    for (const bad of [
      `<!DOCTYPE svg [<!ENTITY a "b">]>${picture}`,
      `<?xml-stylesheet href="https://evil.example/a.css"?>${picture}`,
      Buffer.from(picture, 'utf16le'),
    ])
      expect(() => readLogo(base64(bad))).toThrow()
  })

  it('is no page, no GIF, no JPEG, and not half a PNG', () => {
    for (const content of ['<html><body/></html>', 'GIF89a', Buffer.from('ffd8ffe0', 'hex'), 'no', '<svg/>'])
      expect(() => readLogo(base64(content))).toThrow('neither a PNG nor an SVG')
    const whole = png(header(4, 4), pixels, end)
    for (const odd of [
      whole.subarray(0, -3),
      Buffer.concat([whole, Buffer.from('<script>')]),
      png(header(4, 4), end),
      png(pixels, header(4, 4), end),
    ])
      expect(() => readLogo(base64(odd))).toThrow('damaged')
    expect(() => readLogo(base64(png(header(4, 4), ['acTL', Buffer.alloc(8)], pixels, end)))).toThrow('moves')
  })

  it('is small', () => {
    expect(() => readLogo(base64(png(header(1025, 4), pixels, end)))).toThrow('1025 by 4 pixels')
    expect(() => readLogo(base64(png(header(4, 0), pixels, end)))).toThrow('no height')
    expect(() => readLogo(svg('<path/>', 'width="5000" height="1"'))).toThrow('5000 by 1')
    expect(() => readLogo(svg('<path/>', 'width="100%"'))).toThrow('must say its size')
    expect(() => readLogo(base64(Buffer.alloc(LARGEST_LOGO + 1)))).toThrow('at most 48 KB')
  })
})
