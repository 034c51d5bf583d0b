import type { Encoding } from '../../statement-vocabulary.ts'
import { unreadableFile } from '../unreadable-statement.ts'
import { readMarkup } from './markup.ts'
import { createRowLimit, MOST_COLUMNS, type Source, type SourceRow } from './source.ts'

/** Tables inside one another. Reports have one or two. */
const DEEPEST = 50

interface OpenRow extends SourceRow {
  readonly cells: string[]
  spans?: number[]
}

/** The innermost table: its row that is open, and where text goes. */
interface OpenTable {
  row: OpenRow | null
  cell: 'none' | 'shown' | 'hidden'
}

/**
 * The rows of all tables of a document, each in the line where it begins. Cells that are not shown are left out, since
 * MetaTrader 5 hides comments among its columns. Nothing of the document runs.
 *
 * @throws {UnreadableStatement} {@link LargeStatement}
 */
export function htmlSource(text: string, encoding: Encoding): Source {
  const rows: OpenRow[] = []
  const outer: OpenTable[] = []
  let table: OpenTable = { row: null, cell: 'none' }
  const limit = createRowLimit()
  const lineAt = createLineCounter(text)
  let [title, element, span, isHidden, isClosed, isBroken] = ['', '', 1, false, false, false]
  /** An element whose text is none of a cell. */
  let inside = ''
  readMarkup(text, 'html', {
    open: (name, index) => {
      element = name
      const isCell = name === 'td' || name === 'th'
      // As in browsers, a cell outside a row begins one.
      if (name === 'tr' || (isCell && !table.row)) {
        table = { row: { line: lineAt(index), cells: [] }, cell: 'none' }
        if (table.row) rows.push(table.row)
        limit.addRow()
      }
      if (name === 'table') {
        if (outer.push(table) > DEEPEST) throw unreadableFile('The tables of this document are nested too deeply')
        table = { row: null, cell: 'none' }
      } else if (name === 'title' || name === 'script' || name === 'style') inside = name
      ;[span, isHidden] = [1, false]
      return isCell
    },
    attribute: (name, value) => {
      // A quotation mark is missing, and cells with it.
      if (/<\/?t[dr]\b/i.test(value)) isBroken = true
      if (name === 'colspan') span = spanIn(value)
      else if (name === 'class') isHidden ||= /(?:^|\s)hidden(?:\s|$)/i.test(value)
      else if (name === 'style') isHidden ||= /display\s*:\s*none/i.test(value)
    },
    opened: () => {
      if (element === 'br' && table.row && table.cell === 'shown') table.row.cells[table.row.cells.length - 1] += ' '
      if (element !== 'td' && element !== 'th') return
      table.cell = isHidden ? 'hidden' : 'shown'
      if (!table.row || isHidden) return
      addCell(table.row, span)
      limit.addCells(table.row.line, table.row.cells.length - 1, table.row.cells.length)
    },
    text: (part) => {
      if (inside === 'title') title += part
      else if (inside === '' && table.row && table.cell === 'shown') table.row.cells[table.row.cells.length - 1] += part
    },
    close: (name) => {
      if (name === inside) inside = ''
      else if (name === 'td' || name === 'th') table.cell = 'none'
      else if (name === 'tr') table = { row: null, cell: 'none' }
      else if (name === 'table') table = outer.pop() ?? { row: null, cell: 'none' }
      else if (name === 'html') isClosed = true
    },
  })
  return { kind: 'html', encoding, rows: rows.filter(hasText), title: title.trim(), isClosed: isClosed && !isBroken }
}

function addCell(row: OpenRow, span: number): void {
  row.cells.push('')
  if (span > 1) row.spans ??= row.cells.slice(1).map(() => 1)
  row.spans?.push(span)
}

/** Browsers read a span that is no number as 1. */
function spanIn(value: string): number {
  const span = Number.parseInt(value, 10)
  return span >= 1 ? Math.min(span, MOST_COLUMNS) : 1
}

function hasText({ cells }: SourceRow): boolean {
  return cells.some((cell) => cell.trim() !== '')
}

/** The line of places that grow. */
function createLineCounter(text: string): (index: number) => number {
  const end = text.includes('\n') ? '\n' : '\r'
  let [line, next] = [1, text.indexOf(end)]
  return (index) => {
    while (next !== -1 && next < index) {
      line += 1
      next = text.indexOf(end, next + 1)
    }
    return line
  }
}
