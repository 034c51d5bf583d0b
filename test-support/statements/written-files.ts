import { strToU8, zipSync } from 'fflate'

/** Bytes of text, CSV and XLSX files as platforms write them. */

export type WrittenEncoding = 'utf-8' | 'utf-8-bom' | 'utf-16le' | 'utf-16be' | 'windows-1252' | 'windows-1251'

/** Text in an encoding: UTF-16 with its byte order mark, as MetaTrader 5 writes it. */
export function encoded(text: string, encoding: WrittenEncoding = 'utf-8'): Uint8Array {
  if (encoding === 'utf-8') return Buffer.from(text)
  if (encoding === 'utf-8-bom') return Buffer.from(`\uFEFF${text}`)
  if (encoding === 'utf-16le') return Buffer.from(`\uFEFF${text}`, 'utf16le')
  if (encoding === 'utf-16be') return Buffer.from(`\uFEFF${text}`, 'utf16le').swap16()
  return Uint8Array.from(text, (character) => singleByte(character, encoding))
}

function singleByte(character: string, encoding: 'windows-1252' | 'windows-1251'): number {
  const code = character.codePointAt(0) ?? 0
  if (code < 0x80) return code
  if (encoding === 'windows-1252' && code >= 0xa0 && code <= 0xff) return code
  if (encoding === 'windows-1251' && code >= 0x410 && code <= 0x44f) return code - 0x410 + 0xc0
  if (encoding === 'windows-1251' && code === 0xa0) return code
  throw new TypeError(`${character} is not in the part of ${encoding} that statements need`)
}

interface CsvStyle {
  readonly delimiter?: string
  /** Platforms quote all cells, or those that need it. */
  readonly quoted?: 'all' | 'needed' | 'never'
  readonly newline?: string
}

/** Lines of cells as CSV. */
export function csv(
  lines: readonly (readonly string[])[],
  { delimiter = ',', quoted = 'needed', newline = '\r\n' }: CsvStyle = {},
): string {
  const cellOf = (cell: string) => {
    const needs = cell.includes(delimiter) || cell.includes('"') || cell.includes('\n')
    return quoted === 'all' || (quoted === 'needed' && needs) ? `"${cell.replaceAll('"', '""')}"` : cell
  }
  return lines.map((cells) => cells.map(cellOf).join(delimiter) + newline).join('')
}

/** A cell of a sheet: text, a number as its digits, a formula with the value beside it, or nothing. */
export type WrittenCell =
  | string
  | { readonly number: string }
  | { readonly formula: string; readonly value: string }
  | null

/** A workbook with one sheet, in the members that spreadsheets write. */
export function xlsx(name: string, rows: readonly (readonly WrittenCell[])[]): Uint8Array {
  return zipSync(
    Object.fromEntries(Object.entries(xlsxMembers(name, rows)).map(([path, text]) => [path, strToU8(HEAD + text)])),
    // A file of the same rows has the same bytes on every day.
    { mtime: new Date(2026, 10, 2) },
  )
}

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const RELATIONS = 'http://schemas.openxmlformats.org/package/2006/relationships'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const TYPES = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

/** The members of a workbook, for tests that change one of them. */
export function xlsxMembers(name: string, rows: readonly (readonly WrittenCell[])[]): Readonly<Record<string, string>> {
  const texts = [...new Set(rows.flat().filter((cell) => typeof cell === 'string'))]
  const places = new Map(texts.map((text, index) => [text, index]))
  const cellOf = (cell: WrittenCell, place: string) => {
    if (cell === null) return ''
    if (typeof cell === 'string') return `<c r="${place}" t="s"><v>${places.get(cell)}</v></c>`
    if ('number' in cell) return `<c r="${place}"><v>${cell.number}</v></c>`
    return `<c r="${place}"><f>${escaped(cell.formula)}</f><v>${cell.value}</v></c>`
  }
  const sheet = rows
    .map(
      (cells, row) =>
        `<row r="${row + 1}">${cells.map((cell, column) => cellOf(cell, `${letters(column)}${row + 1}`)).join('')}</row>`,
    )
    .join('')
  return {
    '[Content_Types].xml': `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${TYPES}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${TYPES}.worksheet+xml"/><Override PartName="/xl/sharedStrings.xml" ContentType="${TYPES}.sharedStrings+xml"/></Types>`,
    '_rels/.rels': `<Relationships xmlns="${RELATIONS}"><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets><sheet name="${escaped(name)}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${RELATIONS}"><Relationship Id="rId1" Type="${OFFICE}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${OFFICE}/sharedStrings" Target="sharedStrings.xml"/></Relationships>`,
    'xl/sharedStrings.xml': `<sst xmlns="${MAIN}" uniqueCount="${texts.length}">${texts.map((text) => `<si><t xml:space="preserve">${escaped(text)}</t></si>`).join('')}</sst>`,
    'xl/worksheets/sheet1.xml': `<worksheet xmlns="${MAIN}"><sheetData>${sheet}</sheetData></worksheet>`,
  }
}

/** The letters of a column, from 0: A, B, …, Z, AA. */
function letters(column: number): string {
  const last = String.fromCodePoint(65 + (column % 26))
  return column < 26 ? last : letters(Math.floor(column / 26) - 1) + last
}

/** Text within a page or a sheet. */
export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
