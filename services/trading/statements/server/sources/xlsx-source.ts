import { unreadableFile } from '../unreadable-statement.ts'
import { readMarkup } from './markup.ts'
import { createRowLimit, type Source, type SourceRow } from './source.ts'
import { zipParts } from './zip-parts.ts'

/** A workbook without a sheet, or with one that is no XML of sheets. */
const NO_SHEET = 'This workbook has no sheet that can be read'
const LAST_ROW = 1_048_576

/**
 * The rows of the first sheet of a workbook. Nothing is computed: a cell with a formula is marked, whatever result stands
 * beside it. Entities but the five of XML are not known.
 *
 * @throws {UnreadableStatement} {@link LargeStatement}
 */
export function xlsxSource(bytes: Uint8Array): Source {
  const [book, links] = texts(bytes, 'xl/workbook.xml', 'xl/_rels/workbook.xml.rels')
  const { sheet, hasDatesFrom1904 } = firstSheet(book ?? '')
  const [text, strings] = texts(
    bytes,
    targetOf(links ?? '', sheet) ?? 'xl/worksheets/sheet1.xml',
    'xl/sharedStrings.xml',
  )
  if (text === undefined) throw unreadableFile(NO_SHEET)
  const rows = rowsOf(text, sharedStrings(strings ?? ''))
  return { kind: 'xlsx', encoding: null, rows, title: null, isClosed: true, hasDatesFrom1904 }
}

/** Undefined for a part that is not there. */
function texts(bytes: Uint8Array, ...names: readonly string[]): readonly (string | undefined)[] {
  const parts = zipParts(bytes, names)
  try {
    return names.map((name) => parts.get(name) && new TextDecoder('utf-8', { fatal: true }).decode(parts.get(name)))
  } catch {
    throw unreadableFile(NO_SHEET)
  }
}

function firstSheet(xml: string): { readonly sheet: string | null; readonly hasDatesFrom1904: boolean } {
  let [element, sheet, hasDatesFrom1904]: [string, string | null, boolean] = ['', null, false]
  readMarkup(xml, 'xml', {
    ...nothing,
    open: (name) => {
      element = name
      return name === 'sheet' || name === 'workbookPr'
    },
    attribute: (name, value) => {
      // The id of a sheet has a prefix; the names here have none. Its number is `sheetId`.
      if (element === 'sheet' && name === 'id') sheet ??= value
      if (name === 'date1904') hasDatesFrom1904 = /^(?:1|true)$/.test(value)
    },
  })
  return { sheet, hasDatesFrom1904 }
}

const nothing = { opened: () => {}, text: () => {}, close: () => {} }

/** Where a sheet lies, by its id in the workbook. */
function targetOf(xml: string, id: string | null): string | null {
  let [found, own, target]: [string | null, string, string] = [null, '', '']
  readMarkup(xml, 'xml', {
    ...nothing,
    open: (name) => {
      ;[own, target] = ['', '']
      return name === 'Relationship'
    },
    attribute: (name, value) => {
      if (name === 'Id') own = value
      if (name === 'Target') target = value
    },
    opened: () => {
      if (own !== '' && own === id) found = target
    },
  })
  const path = `${found ?? ''}`
  return path === '' ? null : path.startsWith('/') ? path.slice(1) : `xl/${path}`
}

function sharedStrings(xml: string): readonly string[] {
  const strings: string[] = []
  let [text, isText, isPhonetic] = ['', false, false]
  readMarkup(xml, 'xml', {
    ...nothing,
    open: (name) => {
      if (name === 'si') text = ''
      if (name === 't') isText = true
      if (name === 'rPh') isPhonetic = true
      return false
    },
    text: (part) => {
      if (isText && !isPhonetic) text += part
    },
    close: (name) => {
      if (name === 'si') strings.push(text)
      if (name === 't') isText = false
      if (name === 'rPh') isPhonetic = false
    },
    attribute: () => {},
  })
  return strings
}

interface OpenRow {
  readonly line: number
  readonly cells: string[]
  readonly types: Map<number, 'number' | 'formula'>
}

function rowsOf(xml: string, strings: readonly string[]): readonly SourceRow[] {
  const rows: SourceRow[] = []
  const limit = createRowLimit()
  let row: OpenRow = { line: 0, cells: [], types: new Map() }
  let [element, reference, type, value, isValue, isFormula] = ['', '', '', '', false, false]
  readMarkup(xml, 'xml', {
    open: (name) => {
      element = name
      if (name === 'row' || name === 'c') reference = ''
      if (name === 'c') [type, value, isFormula] = ['n', '', false]
      isFormula ||= name === 'f'
      isValue = name === 'v' || name === 't'
      return name === 'row' || name === 'c'
    },
    attribute: (name, text) => {
      if (name === 'r') reference = text
      if (name === 't' && element === 'c') type = text
    },
    opened: () => {
      if (element !== 'row') return
      limit.addRow()
      row = { line: reference === '' ? row.line + 1 : Number(reference), cells: [], types: new Map() }
      if (!(Number.isInteger(row.line) && row.line > 0 && row.line <= LAST_ROW)) throw unreadableFile(NO_SHEET)
    },
    text: (part) => {
      if (isValue) value += part
    },
    close: (name) => {
      if (name === 'v' || name === 't') isValue = false
      else if (name === 'c' && (value !== '' || isFormula)) {
        const [before, column] = [row.cells.length, reference === '' ? row.cells.length : columnOf(reference)]
        limit.addCells(row.line, before, column + 1)
        while (row.cells.length < column) row.cells.push('')
        row.cells[column] = type === 's' ? (strings[Number(value)] ?? '') : type === 'n' ? sheetNumber(value) : value
        if (isFormula) row.types.set(column, 'formula')
        else if (type === 'n') row.types.set(column, 'number')
      } else if (name === 'row' && row.cells.some((cell) => cell.trim() !== '')) rows.push(row)
    },
  })
  return rows
}

/** `AB12` is column 27. */
function columnOf(reference: string): number {
  const [, letters = ''] = /^([A-Z]{1,3})\d*$/i.exec(reference) ?? []
  let column = 0
  for (const letter of letters.toUpperCase()) column = column * 26 + letter.charCodeAt(0) - 64
  if (letters === '') throw unreadableFile(NO_SHEET)
  return column - 1
}

/** Excel keeps 15 significant digits: what stands after them comes from the binary form of the number. */
export function sheetNumber(text: string): string {
  if (text.length <= 15 && /^-?(?:0|[1-9]\d*)(?:\.\d*[1-9])?$/.test(text)) return text
  const number = Number(text)
  if (!Number.isFinite(number) || text.trim() === '') return text
  const [mantissa = '', exponent = '0'] = number.toExponential(14).split('e')
  const sign = mantissa.startsWith('-') ? '-' : ''
  const digits = mantissa.replaceAll(/[-.]/g, '')
  const point = Number(exponent) + 1
  if (point > 40 || point < -40) return text
  const padded = point > 0 ? digits.padEnd(point, '0') : '0'.repeat(1 - point) + digits
  const place = Math.max(point, 1)
  const fraction = padded.slice(place).replace(/0+$/, '')
  return `${sign}${padded.slice(0, place)}${fraction === '' ? '' : `.${fraction}`}`
}
