import { longLineOf } from '#services/framework/api/text.ts'
import type { Encoding } from '../../statement-vocabulary.ts'
import { unreadableFile } from '../unreadable-statement.ts'
import { csvRows } from './csv-rows.ts'
import { createRowLimit, type Source, type SourceRow } from './source.ts'

/** The longest line, in characters. */
const LONGEST_LINE = 20_000
/** The headings stand in one of so many lines. */
const LINES_TO_HEADINGS = 100
/** The fewest columns that a platform writes. */
const NARROWEST = 6

/** @throws {UnreadableStatement} {@link LargeStatement} */
export function csvSource(text: string, encoding: Encoding, delimiter = delimiterOf(text)): Source {
  const long = longLineOf(text, LONGEST_LINE)
  if (long !== undefined) throw unreadableFile(`Line ${long}: the row is too long`)
  const rows: SourceRow[] = []
  const limit = createRowLimit()
  for (const row of csvRows(text, delimiter)) {
    limit.addRow()
    limit.addCells(row.line, 0, row.cells.length)
    if (rows.length > 0 || !isSeparatorLine(row.cells)) rows.push(row)
  }
  return { kind: 'csv', encoding, rows, title: null, isClosed: true }
}

/** Spreadsheets write `sep=;` into the first line. */
function isSeparatorLine([first = '']: readonly string[]): boolean {
  return /^sep=.?$/i.test(first)
}

/**
 * The delimiter that parts the headings: of the first lines the widest one without digits, where one is as wide as a
 * statement. Numbers have marks that are delimiters elsewhere.
 */
export function delimiterOf(text: string): string {
  const first = text.split(/\r\n|\n|\r/, LINES_TO_HEADINGS)
  const [, named] = /^sep=([^"])$/i.exec(first[0] ?? '') ?? []
  if (named !== undefined) return named
  const unquoted = first.map((line) => line.replaceAll(/"[^"]*"/g, ''))
  const widest = (lines: readonly string[]) =>
    [';', ',', '\t', '|']
      .map((delimiter) => ({ delimiter, width: Math.max(0, ...lines.map((line) => line.split(delimiter).length)) }))
      .toSorted((one, other) => other.width - one.width)[0]
  const ofWords = widest(unquoted.filter((line) => !/\d/.test(line)))
  const found = ofWords && ofWords.width >= NARROWEST ? ofWords : widest(unquoted)
  return found?.delimiter ?? ','
}
