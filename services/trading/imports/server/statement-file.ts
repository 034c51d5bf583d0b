import { setImmediate as nextTurn } from 'node:timers/promises'
import { Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import { longLineOf } from '#services/framework/api/text.ts'
import { z } from 'zod'
import { faultsOf } from '#services/framework/api/faults.ts'
import type { Whose } from '#services/trading/observations/server/account-finder.ts'
import { sentObservation } from '#services/trading/observations/observation-api.ts'
import type { Observation } from '#services/rules/observation.ts'
import type { Rules } from '#services/rules/engine.ts'
import { dateOf } from '#services/rules/trading-day.ts'
import { type ImportField, type ImportKind, MOST_ROWS } from '../import-vocabulary.ts'
import type { Mapping } from '../mapping-api.ts'
import { columnNames, encodingOf } from '#services/trading/statements/statement-columns.ts'
import {
  amountReader,
  decimalText,
  type ReadTime,
  timeReader,
  UnreadableCell,
  volumeText,
} from '../statement-values.ts'

/** Reads statements: each row becomes an observation, or says in which line and why it does not. */

/** The file is no statement that this mapping reads. */
export class UnreadableStatement extends Error {
  override readonly name = 'UnreadableStatement'
  constructor(
    message: string,
    /** The field of the request that is at fault. */
    readonly field?: string,
  ) {
    super(message)
  }
}

/** It has more rows than an import may have. */
export class LargeStatement extends Error {
  override readonly name = 'LargeStatement'
}

/** A row of the file; the header is line 1. */
export type StatementRow =
  | { readonly line: number; readonly whose: Whose; readonly observationUnder: (rules: Rules) => Observation }
  | { readonly line: number; readonly reason: string }

/** The headings are in one of so many rows: reports have lines above them, and spreadsheets `sep=;`. */
const ROWS_TO_HEADINGS = 100
/** The longest row, in characters. */
const LONGEST_ROW = 20_000
/** Rows that are read before others have their turn. */
const ROWS_A_TURN = 500
const SLICE = 64 * 1024

/** @throws {UnreadableStatement} {@link LargeStatement} */
export async function readStatement(
  bytes: Buffer,
  kind: ImportKind,
  mapping: Mapping,
  account: string | undefined,
): Promise<readonly StatementRow[]> {
  const text = decoded(bytes)
  const long = longLineOf(text, LONGEST_ROW)
  if (long !== undefined) throw new UnreadableStatement(`Line ${long}: ${csvFaults['CSV_MAX_RECORD_SIZE']}`)
  const rows: StatementRow[] = []
  const above: (readonly string[])[] = []
  let read: ((cells: readonly string[], line: number) => StatementRow) | undefined
  try {
    for await (const { cells, line } of recordsOf(text, mapping.delimiter)) {
      if (!read) {
        above.push(cells)
        if (hasColumns(cells, mapping)) read = rowReader(cells, kind, mapping, account)
        else if (above.length === ROWS_TO_HEADINGS) break
        continue
      }
      if (rows.length >= MOST_ROWS) throw new LargeStatement()
      rows.push(read(cells, line))
      if (rows.length % ROWS_A_TURN === 0) await nextTurn()
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw new UnreadableStatement(
      `Line ${String(error['lines'] ?? '?')}: ${csvFaults[error.code] ?? 'the row cannot be read'}`,
    )
  }
  // Says which column is missing in the row that comes nearest.
  const nearest = above.toSorted((one, other) => headingsOf(other, mapping) - headingsOf(one, mapping))[0]
  if (!read && nearest) columnsOf(nearest, mapping)
  if (rows.length === 0) throw new UnreadableStatement('This file has no rows')
  return rows
}

const csvFaults: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quotation mark is not closed',
  CSV_MAX_RECORD_SIZE: 'the row is too long',
  INVALID_OPENING_QUOTE: 'a quotation mark stands inside a cell',
  CSV_INVALID_CLOSING_QUOTE: 'a quotation mark stands inside a cell',
}

function decoded(bytes: Buffer): string {
  const text = textOf(bytes)
  if (text.includes('\0'))
    throw new UnreadableStatement('This is no text file. Please save the statement as CSV in UTF-8.')
  return text
}

function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder(encodingOf(bytes), { fatal: true }).decode(bytes)
  } catch {
    throw new UnreadableStatement('This file is not in UTF-8. Please save the statement as CSV in UTF-8.')
  }
}

const parsedRecord = z.object({ record: z.array(z.string()), info: z.object({ lines: z.int() }) })

async function* recordsOf(text: string, delimiter: string) {
  const slices = function* () {
    for (let start = 0; start < text.length; start += SLICE) yield text.slice(start, start + SLICE)
  }
  const parser = Readable.from(slices()).pipe(
    parse({
      delimiter,
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
      max_record_size: LONGEST_ROW,
      record_delimiter: ['\r\n', '\n', '\r'],
    }),
  )
  for await (const each of parser) {
    const { record: cells, info } = parsedRecord.parse(each)
    // The parser counts to the last line of a row. Only a cell in quotes has lines.
    const inside = cells.reduce((sum, cell) => sum + (cell.match(/\r\n|\n|\r/g)?.length ?? 0), 0)
    yield { cells, line: info.lines - inside }
  }
}

/**
 * Returns the columns of each field. @throws {UnreadableStatement} for a column that the file does not have, or has
 * twice.
 */
function columnsOf(header: readonly string[], { columns }: Mapping): ReadonlyMap<string, readonly number[]> {
  const headings = header.map((cell) => cell.trim())
  const names = columnNames(headings)
  const placeOf = (column: string, field: string): number => {
    const name = column.trim()
    const place = names.indexOf(name)
    if (place !== -1 && !names.includes(name, place + 1)) return place
    const several = `The file has several columns "${column}": name one by its number, like "${column} (1)"`
    const isThere = place !== -1 || headings.includes(name)
    throw new UnreadableStatement(isThere ? several : `The file has no column "${column}"`, `mapping.columns.${field}`)
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

/** How many of the mapped headings a row has. */
function headingsOf(row: readonly string[], { columns }: Mapping): number {
  const names = columnNames(row.map((cell) => cell.trim()))
  return Object.values(columns)
    .flat()
    .filter((heading) => names.includes(heading.trim())).length
}

function rowReader(header: readonly string[], kind: ImportKind, mapping: Mapping, account: string | undefined) {
  const places = columnsOf(header, mapping)
  const readAmount = amountReader(mapping.decimal ?? undefined)
  const readTime = timeReader(mapping.dates ?? undefined, mapping.zone ?? undefined)
  // Beside a column of times, one of days has only the first part of the pattern.
  const readDay = timeReader(mapping.dates?.replace(/[\sT,]*HH.*$/, ''), mapping.zone ?? undefined)
  const width = widthOf(header)
  const has = (field: ImportField) => places.has(field)

  return (cells: readonly string[], line: number): StatementRow => {
    /** The cells of a field, trimmed; none where the file has no column for it. */
    const cellsOf = (field: ImportField): readonly string[] =>
      (places.get(field) ?? []).map((place) => (cells[place] ?? '').trim())
    const of = <Value>(field: ImportField, readCells: (cells: readonly string[]) => Value): Value => {
      try {
        return readCells(cellsOf(field))
      } catch (error) {
        if (!(error instanceof UnreadableCell)) throw error
        throw new UnreadableCell(`${field}: ${error.message}`)
      }
    }
    const textOf = (field: ImportField) => of(field, ([cell = '']) => filled(cell))
    const amountOf = (field: ImportField) =>
      of(field, (several) => decimalText(several.map(readAmount).reduce((sum, amount) => sum + amount, 0n)))
    const dayOf = (field: ImportField) =>
      of(field, ([cell = '']) => {
        try {
          return readTime(filled(cell))
        } catch (error) {
          if (!(error instanceof UnreadableCell) || !mapping.dates?.includes('HH')) throw error
          return readDay(filled(cell))
        }
      })
    const instantOf = (field: ImportField) => of(field, ([cell = '']) => instant(readTime(filled(cell))))
    const whose = (): Whose => {
      if (account !== undefined) return { account }
      if (has('account')) return { account: textOf('account') }
      return { server: has('server') ? textOf('server') : (mapping.server ?? ''), login: textOf('login') }
    }
    const fields = () =>
      kind === 'trades'
        ? {
            at: instantOf('at'),
            id: textOf('id'),
            openedAt: instantOf('openedAt'),
            profit: amountOf('profit'),
            volume: of('volume', ([cell = '']) => volumeText(filled(cell), mapping.decimal ?? '.')),
          }
        : {
            date: dayOf('date'),
            at: has('at') ? instantOf('at') : null,
            balance: amountOf('balance'),
            equity: amountOf('equity'),
            lowestEquity: amountOf('lowestEquity'),
            highestEquity: amountOf('highestEquity'),
            trades: of('trades', ([cell = '']) => wholeNumber(cell)),
          }

    try {
      if (widthOf(cells) !== width && cells.length !== header.length)
        throw new UnreadableCell(`expected ${width} cells, as the header has`)
      const [owner, values] = [whose(), fields()]
      if ('profit' in values) {
        const trade = observed({ kind: 'trade', ...values })
        return { line, whose: owner, observationUnder: () => trade }
      }
      // Faults that need no programme are found at once.
      observed({ kind: 'day', ...values, at: values.at ?? '2026-11-02T00:00:00Z', date: '2026-11-02' })
      return { line, whose: owner, observationUnder: (rules) => dayUnder(rules, values) }
    } catch (error) {
      if (error instanceof UnreadableCell) return { line, reason: error.message }
      throw error
    }
  }
}

/** How many cells a row has: a delimiter at its end begins no other one. */
function widthOf(cells: readonly string[]): number {
  return cells.at(-1)?.trim() === '' ? cells.length - 1 : cells.length
}

interface DayCells {
  readonly date: ReadTime
  readonly at: string | null
}

const DAY = 86_400_000

/** "A day without time lies in its last second." The days are those of the programme. */
function dayUnder({ days }: Rules, { date, at, ...values }: DayCells): Observation {
  if ('instant' in date) {
    const day = dateOf(days.dayOf(Date.parse(date.instant)))
    return observed({ kind: 'day', ...values, date: day, at: at ?? date.instant })
  }
  const lastSecond = new Date(days.startOf(Date.parse(date.date) / DAY + 1) - 1000).toISOString()
  return observed({ kind: 'day', ...values, date: date.date, at: at ?? lastSecond })
}

/** @throws {UnreadableCell} with the first fault. */
function observed(written: object): Observation {
  const { data, error } = sentObservation.safeParse(written)
  if (data) return data
  const [[place, message] = ['', 'expected another row']] = faultsOf(error)
  throw new UnreadableCell(place === '' ? message : `${place}: ${message}`)
}

function filled(cell: string): string {
  if (cell === '') throw new UnreadableCell('the cell is empty')
  return cell
}

function instant(time: ReadTime): string {
  if ('date' in time) throw new UnreadableCell('expected a time, not only a date')
  return time.instant
}

function wholeNumber(cell: string): number {
  if (!/^\d{1,7}$/.test(cell)) throw new UnreadableCell('expected a whole number')
  return Number(cell)
}
