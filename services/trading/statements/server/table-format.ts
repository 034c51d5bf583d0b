import type { DateOrder, StatementCheck, StatementFormatId } from '../statement-vocabulary.ts'
import { type Columns, orFault, RowCells, withoutLots } from './row-cells.ts'
import type { Source, SourceRow } from './sources/source.ts'
import type { ReadRow, RecognisedStatement, StatementFormat, Values } from './statement-format.ts'
import { UnreadableCell, unreadableFile } from './unreadable-statement.ts'

/** A file that is one table: a row of headings, perhaps below a few others, and rows with as many cells. */
interface TableFormat<Field extends string> extends Pick<StatementFormat, 'id' | 'again'> {
  readonly id: StatementFormatId
  /** Where it depends on the columns of the file. */
  againIn?(columns: Columns<Field>): StatementFormat['again']
  readonly kinds: readonly Source['kind'][]
  /** Where the fields stand, by the headings or by the first row below them. Null where these are no headings of it. */
  columns(headings: readonly string[], first: readonly string[]): Columns<Field> | null
  /** The fields with numbers, from which the decimal mark is decided; null where it always is a point. */
  readonly numbers: readonly NoInfer<Field>[] | null
  /** Fields with times, and the order of their dates where the format has always the same. */
  readonly times: readonly NoInfer<Field>[]
  readonly dates?: 'year-first' | DateOrder
  zone(table: Table<Field>): RecognisedStatement['zone']
  /** Outside the rows nothing names an account, unless this finds it. */
  account?(table: Table<Field>): RecognisedStatement['account']
  /** Whether a row is a total or a title, and none of those that are read. */
  isPassedOver?(cells: readonly string[], columns: Columns<Field>): boolean
  /** One row. What it throws as {@link UnreadableCell} is its fault. */
  row(cells: RowCells<Field>, all: readonly RowCells<Field>[]): ReadRow
  checks?(
    all: readonly RowCells<Field>[],
    read: readonly ReadRow[],
    table: Table<Field>,
    values: Values,
  ): readonly StatementCheck[]
}

export interface Table<Field extends string> {
  readonly source: Source
  readonly headings: readonly string[]
  readonly columns: Columns<Field>
  readonly rows: readonly SourceRow[]
  /** Below the headings: totals and titles. */
  readonly passedOver: readonly SourceRow[]
}

/** The headings stand in one of so many rows. */
const ROWS_TO_HEADINGS = 100

export function tableFormat<Field extends string>(format: TableFormat<Field>): StatementFormat {
  return {
    id: format.id,
    again: format.again,
    recognise: (source) => {
      const table = format.kinds.includes(source.kind) ? tableIn(source, format) : null
      if (!table) return null
      const { columns, rows, headings } = table
      const texts = (fields: readonly Field[]) => textsIn(rows, columns, fields)
      return {
        zone: format.zone(table),
        account: format.account?.(table) ?? { login: null, currency: null, server: null },
        numbers: format.numbers && texts(format.numbers),
        dates: format.dates ?? texts(format.times),
        again: format.againIn?.(columns) ?? format.again,
        read: (values) => {
          if (rows.length === 0) throw unreadableFile('This file has no rows')
          const cells = rows.map((row) => new RowCells(row, columns, values))
          const read = cells.map((each) =>
            orFault(each.row, () => {
              if (source.kind !== 'xlsx' || each.row.cells.length > headings.length)
                expectWidth(each.row.cells, headings)
              return format.row(each, cells)
            }),
          )
          return { rows: read, checks: format.checks?.(cells, read, table, values) ?? [], until: null }
        },
      }
    },
  }
}

function tableIn<Field extends string>(source: Source, format: TableFormat<Field>): Table<Field> | null {
  for (const [index, { cells: headings }] of source.rows.slice(0, ROWS_TO_HEADINGS).entries()) {
    const columns = format.columns(headings, source.rows[index + 1]?.cells ?? [])
    if (!columns) continue
    const below = source.rows.slice(index + 1)
    const isPassedOver = ({ cells }: SourceRow) => format.isPassedOver?.(cells, columns) === true
    const rows = below.filter((row) => !isPassedOver(row))
    return { source, headings, columns, rows, passedOver: below.filter(isPassedOver) }
  }
  return null
}

/** The texts of these fields, but for numbers of a sheet, whose mark and date need no proof. */
function* textsIn<Field extends string>(rows: readonly SourceRow[], columns: Columns<Field>, fields: readonly Field[]) {
  const places = fields.flatMap((field) => columns[field] ?? [])
  for (const { cells, types } of rows)
    for (const place of places) if (types?.get(place) === undefined) yield withoutLots(cells[place] ?? '')
}

/** A delimiter at the end of a row begins no other cell. A row of a sheet ends with its last value. */
function expectWidth(cells: readonly string[], headings: readonly string[]): void {
  const width = widthOf(headings)
  if (widthOf(cells) !== width && cells.length !== headings.length)
    throw new UnreadableCell(`expected ${width} cells, as the headings are, and found ${widthOf(cells)}`)
}

function widthOf(cells: readonly string[]): number {
  return cells.at(-1)?.trim() === '' ? cells.length - 1 : cells.length
}
