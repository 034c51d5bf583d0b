import { CsvError, parse } from 'csv-parse/sync'
import { longLineOf } from '#services/framework/api/text.ts'
import type { Encoding } from '../../statement-vocabulary.ts'
import { unreadableFile } from '../unreadable-statement.ts'
import { createRowLimit, type Source, type SourceRow } from './source.ts'

/** The longest line, in characters. */
const LONGEST_LINE = 20_000
/** The headings stand in one of so many lines. */
const LINES_TO_HEADINGS = 100

const faults: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quotation mark is not closed',
  INVALID_OPENING_QUOTE: 'a quotation mark stands inside a cell',
  CSV_INVALID_CLOSING_QUOTE: 'a quotation mark stands inside a cell',
}

/** @throws {UnreadableStatement} {@link LargeStatement} */
export function csvSource(text: string, encoding: Encoding): Source {
  const long = longLineOf(text, LONGEST_LINE)
  if (long !== undefined) throw unreadableFile(`Line ${long}: the row is too long`)
  const rows: SourceRow[] = []
  const limit = createRowLimit()
  try {
    parse(text, {
      delimiter: delimiterOf(text),
      relax_column_count: true,
      skip_empty_lines: true,
      record_delimiter: ['\r\n', '\n', '\r'],
      on_record: (cells: readonly string[], { lines }: { readonly lines: number }) => {
        limit.addRow()
        limit.addCells(lines, 0, cells.length)
        if (rows.length > 0 || !isSeparatorLine(cells)) rows.push({ line: lines - breaksIn(cells), cells })
        return null
      },
    })
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw unreadableFile(`Line ${String(error['lines'] ?? '?')}: ${faults[error.code] ?? 'the row cannot be read'}`)
  }
  return { kind: 'csv', encoding, rows, title: null, isClosed: true }
}

/** Spreadsheets write `sep=;` into the first line. */
function isSeparatorLine([first = '']: readonly string[]): boolean {
  return /^sep=.?$/i.test(first)
}

/** The delimiter that parts the widest of the first lines: that is the one with the headings. */
function delimiterOf(text: string): string {
  const first = text.split(/\r\n|\n|\r/, LINES_TO_HEADINGS)
  const [, named] = /^sep=(.)$/i.exec(first[0] ?? '') ?? []
  if (named !== undefined) return named
  const unquoted = first.map((line) => line.replaceAll(/"[^"]*"/g, ''))
  const widthUnder = (delimiter: string) => Math.max(...unquoted.map((line) => line.split(delimiter).length))
  return [';', ',', '\t', '|'].toSorted((one, other) => widthUnder(other) - widthUnder(one))[0] ?? ','
}

/** The parser counts to the last line of a row. Only a cell in quotes has lines. */
function breaksIn(cells: readonly string[]): number {
  return cells.reduce((sum, cell) => sum + (cell.match(/\r\n|\n|\r/g)?.length ?? 0), 0)
}
