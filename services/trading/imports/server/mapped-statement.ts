import { createHash } from 'node:crypto'
import { columnNames } from '#services/trading/statements/statement-columns.ts'
import { csvSource } from '#services/trading/statements/server/sources/csv-source.ts'
import { compareRepeated } from '#services/trading/statements/server/repeated-ids.ts'
import { decodedText } from '#services/trading/statements/server/sources/decoded-text.ts'
import type { SourceRow as FileRow } from '#services/trading/statements/server/sources/source.ts'
import {
  LargeStatement,
  UnreadableCell,
  UnreadableStatement,
  unreadableFile,
} from '#services/trading/statements/server/unreadable-statement.ts'
import {
  amountText,
  type Decimal,
  decimalIn,
  decimalMarkOf,
  plainText,
  sumOf,
  volumeText,
} from '#services/trading/statements/server/values/decimal.ts'
import { type DecimalMark, LARGEST_FILE, MOST_FILE_ROWS } from '#services/trading/statements/statement-vocabulary.ts'
import { instantText } from '#services/trading/statements/server/values/times.ts'
import { type ImportField, type MappedKind, summedFields } from '../import-vocabulary.ts'
import type { Mapping } from '../mapping-api.ts'
import type { ImportedRow } from '../statement-row-api.ts'
import { amountIn, type ReadTime, timeReader } from './mapped-values.ts'
import { ROWS_TO_HEADINGS } from './statement-headings.ts'
import type { SourceRow, SourceStatement } from './statement-source.ts'

/** Reads a CSV file by a mapping of its columns: the format `columns` (statements.md). */

/** Fields that hold numbers: together they show the decimal mark of a file. */
const numberFields: readonly ImportField[] = [...summedFields, 'volume', 'openPrice', 'closePrice']

/**
 * Reads the rows of a file by a mapping. Pure, as `readStatement` is.
 *
 * @throws {UnreadableStatement} {@link LargeStatement}
 */
export function readMappedStatement(bytes: Uint8Array, kind: MappedKind, mapping: Mapping): SourceStatement {
  if (bytes.length > LARGEST_FILE) throw new LargeStatement()
  const { text, encoding } = decodedText(bytes)
  const { rows: all } = csvSource(text, encoding, mapping.delimiter)
  const place = all.slice(0, ROWS_TO_HEADINGS).findIndex(({ cells }) => hasColumns(cells, mapping))
  const header = all[place] ?? nearestHeader(all.slice(0, ROWS_TO_HEADINGS), mapping)
  const rows = place === -1 ? [] : all.slice(place + 1)
  if (!header) throw unreadableFile('This file has no rows')
  const columns = columnsOf(header.cells, mapping)
  if (rows.length === 0) throw unreadableFile('This file has no rows')
  if (rows.length > MOST_FILE_ROWS) throw new LargeStatement()
  const read = rowReader(header.cells, columns, kind, mapping, markOf(rows, columns, mapping))
  const sources = rows.map(read)
  return {
    kind,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    ...{ file: null, server: mapping.server, checks: [], hints: [] },
    rows: withRepeatedIds(sources, rows),
  }
}

type Columns = ReadonlyMap<string, readonly number[]>

/** @throws {UnreadableStatement} for a column that the file does not have, or has twice. */
function columnsOf(header: readonly string[], { columns }: Mapping): Columns {
  const headings = header.map((cell) => cell.trim())
  const names = columnNames(headings)
  const placeOf = (column: string, field: string): number => {
    const name = column.trim()
    const place = names.indexOf(name)
    if (place !== -1 && !names.includes(name, place + 1)) return place
    const several = `The file has several columns "${column}": name one by its number, like "${column} (1)"`
    const isThere = place !== -1 || headings.includes(name)
    throw new UnreadableStatement({
      field: `mapping.columns.${field}`,
      message: isThere ? several : `The file has no column "${column}"`,
    })
  }
  return new Map(
    Object.entries(columns).map(([field, heading]) => [
      field,
      (typeof heading === 'string' ? [heading] : heading).map((each) => placeOf(each, field)),
    ]),
  )
}

function hasColumns(header: readonly string[], mapping: Mapping): boolean {
  try {
    columnsOf(header, mapping)
    return true
  } catch (error) {
    if (error instanceof UnreadableStatement) return false
    throw error
  }
}

/** The row that has most of the mapped headings: of it the missing column is named. */
function nearestHeader(rows: readonly FileRow[], { columns }: Mapping): FileRow | undefined {
  const mapped = Object.values(columns).flat()
  let nearest: { readonly row: FileRow; readonly has: number } | undefined
  for (const row of rows) {
    const names = new Set(columnNames(row.cells.map((cell) => cell.trim())))
    const has = mapped.filter((heading) => names.has(heading.trim())).length
    if (!nearest || has > nearest.has) nearest = { row, has }
  }
  return nearest?.row
}

/** "The mark is decided once per file from all numbers", unless the mapping says it. */
function markOf(rows: readonly FileRow[], columns: Columns, { decimal }: Mapping): DecimalMark {
  if (decimal) return decimal
  const places = numberFields.flatMap((field) => columns.get(field) ?? [])
  const mark = decimalMarkOf(
    rows.flatMap(({ cells }) => places.map((place) => withoutLots(cells[place] ?? ''))),
    null,
  )
  if (typeof mark === 'string') return mark
  throw new UnreadableStatement({ field: 'mapping.decimal', message: mark.fault })
}

function rowReader(
  header: readonly string[],
  places: Columns,
  kind: MappedKind,
  mapping: Mapping,
  mark: DecimalMark,
): (row: FileRow) => SourceRow {
  const dates = mapping.dates ?? undefined
  const readTime = timeReader(dates, mapping.zone ?? undefined)
  // Beside a column of times, one of days has only the first part of the pattern.
  const readDay = timeReader(dates?.replace(/[\sT,]*HH.*$/, ''), mapping.zone ?? undefined)
  const width = widthOf(header)
  const has = (field: ImportField) => places.has(field)
  const numberIn = (cell: string, word: string): Decimal => {
    const number = decimalIn(cell, mark)
    if (!number) throw new UnreadableCell(`${JSON.stringify(cell)} is no ${word}`)
    return number
  }
  // Platforms that write a decimal comma may still write volumes with a point.
  const volumeIn = (cell: string) => {
    const number = mapping.decimal ? decimalIn(cell.replace(mapping.decimal, '.'), '.') : decimalIn(cell, mark)
    if (!number) throw new UnreadableCell(`${JSON.stringify(cell)} is no volume`)
    return number
  }
  const amount = (cell: string): Decimal =>
    mapping.decimal ? amountIn(cell, mapping.decimal) : numberIn(filled(cell), 'amount')

  return ({ line, cells }) => {
    const of = <Value>(field: ImportField, read: (cells: readonly string[]) => Value): Value => {
      try {
        return read((places.get(field) ?? []).map((place) => (cells[place] ?? '').trim()))
      } catch (error) {
        if (!(error instanceof UnreadableCell)) throw error
        throw new UnreadableCell(`${field}: ${error.message}`)
      }
    }
    const textOf = (field: ImportField) => of(field, ([cell = '']) => filled(cell))
    const orNull = <Value>(field: ImportField, read: (cell: string) => Value): Value | null =>
      has(field) ? of(field, ([cell = '']) => (cell === '' ? null : read(cell))) : null
    const amountOf = (field: ImportField) => of(field, (several) => amountText(sumOf(several.map(amount))))
    const instantOf = (field: ImportField) => of(field, ([cell = '']) => instantIn(readTime(filled(cell))))
    const price = (cell: string) => plainText(numberIn(cell, 'price'))
    const dayOf = (cell: string): ReadTime => {
      try {
        return readTime(filled(cell))
      } catch (error) {
        if (!(error instanceof UnreadableCell) || !dates?.includes('HH')) throw error
        return readDay(filled(cell))
      }
    }
    const row = (): { readonly row: ImportedRow; readonly dayOf?: string } => {
      const login = has('login') ? textOf('login') : null
      if (kind === 'trades')
        return {
          row: {
            ...{ line, row: 'trade', login, id: textOf('id') },
            symbol: orNull('symbol', (cell) => cell),
            side: orNull('side', sideIn),
            volume: of('volume', ([cell = '']) => volumeText(volumeIn(withoutLots(filled(cell))))),
            openedAt: instantOf('openedAt'),
            at: instantOf('at'),
            openPrice: orNull('openPrice', price),
            closePrice: orNull('closePrice', price),
            profit: amountOf('profit'),
          },
        }
      const day = of('date', ([cell = '']) => dayOf(cell))
      return {
        row: {
          ...{ line, row: 'day', login, date: 'date' in day ? day.date : null },
          at: has('at') ? instantOf('at') : null,
          balance: amountOf('balance'),
          equity: amountOf('equity'),
          lowestEquity: amountOf('lowestEquity'),
          highestEquity: amountOf('highestEquity'),
          trades: of('trades', ([cell = '']) => wholeNumber(cell)),
        },
        ...('instant' in day && { dayOf: day.instant }),
      }
    }
    try {
      if (widthOf(cells) !== width && cells.length !== header.length)
        throw new UnreadableCell(`expected ${width} cells, as the header has`)
      return {
        ...row(),
        ...(has('account') && { account: textOf('account') }),
        ...(has('server') && { server: textOf('server') }),
      }
    } catch (error) {
      if (error instanceof UnreadableCell) return { row: { line, row: 'fault', reason: error.message } }
      throw error
    }
  }
}

/**
 * An id that comes again is a partial close: `id#2` and so on, in an order that does not depend on the file's. Rows that
 * are equal in all cells are one.
 */
function withRepeatedIds(sources: readonly SourceRow[], rows: readonly FileRow[]): readonly SourceRow[] {
  const groups = new Map<string, Map<string, number[]>>()
  for (const [index, { row, account, server }] of sources.entries()) {
    if (row.row !== 'trade') continue
    const key = JSON.stringify([account, server, row.login, row.id])
    const content = JSON.stringify(rows[index]?.cells)
    const group = groups.get(key) ?? new Map<string, number[]>()
    groups.set(key, group.set(content, [...(group.get(content) ?? []), index]))
  }
  const printed = [...sources]
  for (const group of groups.values()) {
    if (group.size === 1) continue
    const steps = [...group.values()].flatMap((indexes) => {
      const row = sources[indexes[0] ?? -1]?.row
      return row?.row === 'trade' ? [{ indexes, row }] : []
    })
    for (const [place, { indexes, row }] of steps
      .toSorted((one, other) => compareRepeated(one.row, other.row))
      .entries())
      for (const index of place > 0 ? indexes : []) {
        const source = sources[index]
        if (source) printed[index] = { ...source, row: { ...row, line: source.row.line, id: `${row.id}#${place + 1}` } }
      }
  }
  return printed
}

/** How many cells a row has: a delimiter at its end begins no other one. */
function widthOf(cells: readonly string[]): number {
  return cells.at(-1)?.trim() === '' ? cells.length - 1 : cells.length
}

/** Some platforms write the lots after a volume: "0.10 Lots". */
function withoutLots(cell: string): string {
  return cell.trim().replace(/\s?lots?$/i, '')
}

function sideIn(cell: string): 'buy' | 'sell' {
  if (/^(buy|long|b)$/i.test(cell)) return 'buy'
  if (/^(sell|short|s)$/i.test(cell)) return 'sell'
  throw new UnreadableCell(`${JSON.stringify(cell)} is neither "buy" nor "sell"`)
}

function filled(cell: string): string {
  if (cell === '') throw new UnreadableCell('the cell is empty')
  return cell
}

function instantIn(time: ReadTime): string {
  if ('date' in time) throw new UnreadableCell('expected a time, not only a date')
  return instantText(Date.parse(time.instant))
}

function wholeNumber(cell: string): number {
  if (!/^\d{1,7}$/.test(cell)) throw new UnreadableCell('expected a whole number')
  return Number(cell)
}
