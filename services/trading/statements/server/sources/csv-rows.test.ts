import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { UnreadableStatement } from '../unreadable-statement.ts'
import { csvRows } from './csv-rows.ts'

const rows = (text: string) => [...csvRows(text, ';')].map(({ line, cells }) => [line, ...cells])

describe('rows of a CSV text', () => {
  it('begin in their line, whatever ends the lines and stands within quotation marks', () => {
    expect(rows('a;b\r\n\r\n"c\nd";"e""f"\r;g;\n"";h')).toEqual([
      [1, 'a', 'b'],
      [3, 'c\nd', 'e"f'],
      [5, '', 'g', ''],
      [6, '', 'h'],
    ])
    expect(rows('a\r\n"b\r\nc"\n\nd')).toEqual([
      [1, 'a'],
      [2, 'b\r\nc'],
      [5, 'd'],
    ])
    expect([rows(''), rows('\n\r\n')]).toEqual([[], []])
    expect(rows('a "b"; "c"\n"d"')).toEqual([
      [1, 'a "b"', ' "c"'],
      [2, 'd'],
    ])
  })

  it.each(['a;"b', '"a"b;c', '"a" ;b', '"', '"a""'])('are refused: %s', (text) => {
    expect(() => rows(`x\n${text}`)).toThrow(/^Line 2: a quotation mark/)
  })

  it('are those of another parser', () => {
    const texts = fc.string({ unit: fc.constantFrom('a', '1', ';', '"', '\n', '\r\n', '\r', ' '), maxLength: 40 })
    fc.assert(
      fc.property(texts, (text) => {
        const expected = theirs(text)
        // The other parser takes no mark within a cell.
        if (expected !== 'refused') expect(ours(text)).toEqual(expected)
      }),
    )
  })
})

function ours(text: string): unknown {
  try {
    return [...csvRows(text, ';')].map(({ cells }) => cells)
  } catch (error) {
    if (error instanceof UnreadableStatement) return 'refused'
    throw error
  }
}

function theirs(text: string): unknown {
  try {
    const options = { delimiter: ';', relax_column_count: true, skip_empty_lines: true }
    return parse(text, { ...options, record_delimiter: ['\r\n', '\n', '\r'] })
  } catch {
    return 'refused'
  }
}
