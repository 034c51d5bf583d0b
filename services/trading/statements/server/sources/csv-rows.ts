import { unreadableFile } from '../unreadable-statement.ts'
import type { SourceRow } from './source.ts'

/**
 * The rows of a CSV text (RFC 4180), without empty ones, each with the line where it begins. Ours, since csv-parse makes
 * an error with a stack of each row that is not as wide as the first one: below a title that are all of them, and 100,000
 * took ten seconds.
 *
 * A mark within a cell that does not begin with one is part of it: titles have some.
 *
 * @throws {UnreadableStatement} for a quotation mark that is not closed, or is followed by more of its cell.
 */
export function* csvRows(text: string, delimiter: string): Generator<SourceRow> {
  const endAt = createLineEnds(text)
  let [place, line] = [0, 1]
  while (place < text.length) {
    const end = endAt(place)
    const plain = text.slice(place, end)
    const row = plain.includes('"')
      ? quotedRow(text, place, delimiter, line, endAt)
      : { cells: plain.split(delimiter), end }
    if (row.end > place) yield { line, cells: row.cells }
    line += 1 + (row.end === end ? 0 : breaksIn(text.slice(place, row.end)))
    place = row.end + (text.startsWith('\r\n', row.end) ? 2 : 1)
  }
}

function quotedRow(
  ...[text, start, delimiter, line, endAt]: readonly [string, number, string, number, (place: number) => number]
): { readonly cells: readonly string[]; readonly end: number } {
  const cells: string[] = []
  let place = start
  for (;;) {
    let end: number
    if (text[place] === '"') {
      end = closingQuote(text, place + 1, line) + 1
      cells.push(text.slice(place + 1, end - 1).replaceAll('""', '"'))
    } else {
      const next = text.indexOf(delimiter, place)
      end = Math.min(endAt(place), next === -1 ? text.length : next)
      cells.push(text.slice(place, end))
    }
    if (text.startsWith(delimiter, end)) place = end + delimiter.length
    else if (end === endAt(end)) return { cells, end }
    else throw unreadableFile(`Line ${line}: a quotation mark stands inside a cell`)
  }
}

/** A quotation mark within a cell is written twice. */
function closingQuote(text: string, start: number, line: number): number {
  for (let place = text.indexOf('"', start); place !== -1; place = text.indexOf('"', place + 2))
    if (text[place + 1] !== '"') return place
  throw unreadableFile(`Line ${line}: a quotation mark is not closed`)
}

/** Where the line of a place ends, for places that grow. */
function createLineEnds(text: string): (place: number) => number {
  const next = ['\n', '\r'].map((end) => ({ end, at: -1 }))
  return (place) => {
    for (const each of next)
      if (each.at < place) {
        const found = text.indexOf(each.end, place)
        each.at = found === -1 ? text.length : found
      }
    return Math.min(...next.map(({ at }) => at))
  }
}

function breaksIn(text: string): number {
  return text.match(/\r\n|\n|\r/g)?.length ?? 0
}
