import { zipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { fixtures, mt5 } from '#test-support/statements/fixtures.ts'
import { mt5Cells } from '#test-support/statements/metatrader-5.ts'
import { type WrittenCell, xlsx, xlsxMembers } from '#test-support/statements/written-files.ts'
import { readStatement } from './read-statement.ts'
import { LargeStatement, UnreadableStatement } from './unreadable-statement.ts'

// Each of these ends within seconds: with rows, or with a reason.

const MEGABYTES_40 = 40 * 1024 * 1024
const LIMIT_MS = 30_000

/** Undefined for a file that is read. */
function refusalOf(bytes: Uint8Array): string | undefined {
  try {
    readStatement(bytes, { zone: 'UTC' })
    return undefined
  } catch (error) {
    if (error instanceof UnreadableStatement) return error.message
    if (error instanceof LargeStatement) return 'too large'
    throw error
  }
}
const filled = (text: string, length = 12_000_000) => Buffer.from(text.repeat(Math.floor(length / text.length)))
const html = (inside: string, length?: number) => Buffer.concat([Buffer.from('<html><table>'), filled(inside, length)])

describe('a document', () => {
  it.each([
    ['ten million cells', html('<td>'), /more than 256 cells/],
    ['ten million rows', html('<tr>'), /too large/],
    ['ten million cells in rows', html(`<tr>${'<td>'.repeat(200)}`, 24_000_000), /too large/],
    ['tables inside one another', html('<table><tr><td>'), /nested too deeply/],
    ['elements that nobody closes', html('<div><p><b><x>'), /No format/],
    ['ends without beginnings', html('</div></table></tr></td></x>'), /No format/],
    ['ten million entities', html('&amp;&lt;&notin;&#65;'), /No format/],
    ['ten million entities in a cell', Buffer.concat([Buffer.from('<tr><td>'), filled('&lt;')]), /No format/],
    ['one long title', html('<title>a').subarray(0, 5_000_000), /No format/],
    ['a comment without an end', Buffer.concat([Buffer.from('<html><!--'), filled('- -')]), /No format/],
    ['one attribute', Buffer.concat([Buffer.from('<td class="'), filled('hidden ')]), /No format/],
    ['attributes', html('<td class=a style=b colspan=9999999999>').subarray(0, 8_000_000), /more than 256 cells/],
  ])('of %s', (_, bytes, refusal) => expect(refusalOf(bytes)).toMatch(refusal), LIMIT_MS)

  it('runs no scripts and takes no entities that it declares', () => {
    const text = Buffer.from(fixtures['mt5-history-utf8.html']?.bytes ?? []).toString()
    const rows = readStatement(Buffer.from(text), { zone: 'UTC' }).rows
    const declared = text
      .replace(/<!DOCTYPE[^>]*>/i, '<!DOCTYPE html [<!ENTITY a "EURUSD">]>')
      .replace('<head>', '<head><script>document.write("</table>")</script>')
    expect(readStatement(Buffer.from(declared), { zone: 'UTC' }).rows).toEqual(rows)
  })
})

describe('a text', () => {
  it.each([
    ['lines of the longest length', filled(`${'a'.repeat(20_000)}\n`), /No format/],
    ['one line', filled('a'), /the row is too long/],
    ['ten million cells', filled(`${','.repeat(10_000)}\n`), /more than 256 cells/],
    ['ten million cells in rows', filled(`${'1,'.repeat(200)}\n`), /too large/],
    ['empty lines', filled('\n'), /No format/],
    ['lines', filled('a\n'), /too large/],
    ['quotation marks', filled('"'), /too long/],
    ['quotation marks in lines', filled('"\n'), /quotation mark|too large|No format/],
    ['bytes of nothing', Buffer.alloc(1000), /neither text/],
    ['nothing', Buffer.alloc(0), /No format/],
    ['one byte too many', Buffer.alloc(MEGABYTES_40 + 1, 97), /too large/],
  ])('of %s', (_, bytes, refusal) => expect(refusalOf(bytes)).toMatch(refusal), LIMIT_MS)
})

describe('a workbook', () => {
  const rows: readonly (readonly WrittenCell[])[] = [['Positions'], ['Time']]
  const zipped = (change: Readonly<Record<string, string>> = {}) =>
    zipSync(
      Object.fromEntries(
        Object.entries({ ...xlsxMembers('Sheet1', rows), ...change }).map(([name, text]) => [name, Buffer.from(text)]),
      ),
    )
  const sheet = (inside: string) => zipped({ 'xl/worksheets/sheet1.xml': `<worksheet><sheetData>${inside}` })
  const repeated = (text: string, length = 12_000_000) => text.repeat(Math.floor(length / text.length))

  it.each([
    [
      'more than 500 parts',
      () => zipped(Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`a${n}`, '']))),
      /too large/,
    ],
    ['a part of 41 MB', () => zipped({ a: 'a'.repeat(MEGABYTES_40 + 1_000_000) }), /too large/],
    ['a cell in column ZZZ', () => sheet('<row r="1"><c r="ZZZ1"><v>1</v></c></row>'), /more than 256 cells/],
    ['a cell in no column', () => sheet('<row r="1"><c r="1"><v>1</v></c></row>'), /no sheet/],
    ['a row beyond the last', () => sheet('<row r="99999999"><c r="A1"><v>1</v></c></row>'), /no sheet/],
    ['ten million cells', () => sheet(repeated('<row><c r="IV1"><v>1</v></c></row>')), /too large/],
    ['ten million rows', () => sheet(repeated('<row/>')), /too large/],
    ['ten million empty cells', () => sheet(repeated('<c/>')), /No format/],
    ['elements inside one another', () => sheet(repeated('<row>')), /too large/],
    ['many texts', () => zipped({ 'xl/sharedStrings.xml': repeated('<si/>') }), /No format/],
    ['a sheet that is no UTF-8', () => zipSync({ 'xl/worksheets/sheet1.xml': Buffer.from([0xff, 0xfe]) }), /no sheet/],
    ['no sheet', () => zipSync({ a: Buffer.from('a') }), /no sheet/],
    ['the beginning of a ZIP alone', () => Buffer.from('PK\u0003\u0004'), /broken/],
  ])('with %s', (_, make, refusal) => expect(refusalOf(make())).toMatch(refusal), LIMIT_MS)

  it('is refused where a part is not as long as it claims, or not what was written', () => {
    const bytes = Buffer.from(fixtures['mt5-history.xlsx']?.bytes ?? [])
    const entry = bytes.lastIndexOf(Buffer.from('xl/worksheets/sheet1.xml')) - 46
    const changed = (place: number) => {
      const copy = Buffer.from(bytes)
      copy.writeUInt32LE((copy.readUInt32LE(entry + place) + 7) >>> 0, entry + place)
      return refusalOf(copy)
    }
    expect([changed(16), changed(24)]).toEqual([expect.stringMatching(/broken/), expect.stringMatching(/broken/)])
  })

  it('has a fault where a needed cell is a formula', () => {
    const cells = mt5Cells(mt5)
    const formula = { formula: '6+6.5', value: '12.5' }
    const first = cells.findIndex((row) => row[0] === 'Time') + 1
    const read = (row: number, column: number) => {
      const changed = cells.map((each, index) => (index === row ? each.with(column, formula) : each))
      return readStatement(xlsx('Sheet1', changed), { zone: 'UTC' })
    }
    expect(read(first, 12).rows[0]).toMatchObject({ row: 'fault', reason: 'a cell is a formula' })
    // The stop loss is not needed.
    expect(read(first, 6).rows[0]).toMatchObject({ row: 'trade' })
  })
})

it('reads each part of a file that was cut, or refuses it', () => {
  for (const [name, { bytes, options }] of Object.entries(fixtures))
    for (let share = 1; share < 12; share += 1) {
      const cut = bytes.subarray(0, Math.floor((bytes.length * share) / 12))
      try {
        readStatement(cut, options)
      } catch (error) {
        if (!(error instanceof UnreadableStatement)) throw new Error(name, { cause: error })
      }
    }
})
