import type { DayRow, StatementRow, TradeRow, TransferRow } from '../statement-vocabulary.ts'
import type { SourceRow } from './sources/source.ts'
import type { ReadRow, ReadTime, Values } from './statement-format.ts'
import { UnreadableCell } from './unreadable-statement.ts'
import { amountText, centsOf, type Decimal, plainText, sumOf, volumeText, zero } from './values/decimal.ts'
import { instantText } from './values/times.ts'

/** Where the fields of a format stand in its rows. */
export type Columns<Field extends string> = Readonly<Partial<Record<Field, number>>>

/**
 * The cells of one row by the names of the format. What cannot be read throws {@link UnreadableCell}. A class, since
 * a file has 50,000 rows, and functions for each would be most of its memory.
 */
export class RowCells<Field extends string> {
  readonly row: SourceRow
  readonly #columns: Columns<Field>
  readonly #values: Values

  constructor(row: SourceRow, columns: Columns<Field>, values: Values) {
    this.row = row
    this.#columns = columns
    this.#values = values
  }

  has(field: Field): boolean {
    return this.#columns[field] !== undefined
  }

  /** Trimmed; empty without a column. */
  text(field: Field): string {
    return textAt(this.row, this.#placeOf(field))
  }

  /** A number; 0 without a column. */
  amount(field: Field): Decimal {
    return this.has(field) ? this.#number(field, 'amount') : zero
  }

  /** An amount whose cell may be empty, which is 0. */
  amountOrZero(field: Field): Decimal {
    return this.text(field) === '' ? zero : this.#number(field, 'amount')
  }

  /** Null without a column. */
  price(field: Field): string | null {
    return this.has(field) ? plainText(this.#number(field, 'price')) : null
  }

  /** Above 0. Lots may be named after it, and the volume of the order after that of the trade. */
  volume(field: Field): Decimal {
    const text = this.text(field)
    const volume = this.#number(field, 'volume', withoutLots(text.split('/')[0] ?? ''))
    if (volume.units <= 0n) throw new UnreadableCell(`"${text}" is no volume above 0`)
    return volume
  }

  time(field: Field): ReadTime {
    return this.#values.time(this.text(field), this.#isNumber(field))
  }

  /** A local time of the file. */
  timeAt(local: number): ReadTime {
    return this.#values.timeAt(local)
  }

  /** By the platform's words for it. */
  side(field: Field, words = { buy: 'buy', sell: 'sell' }): 'buy' | 'sell' {
    const side = this.text(field).toLowerCase()
    if (side === words.buy) return 'buy'
    if (side === words.sell) return 'sell'
    throw new UnreadableCell(`"${this.text(field)}" is no type of a row`)
  }

  #number(field: Field, word: string, cell = this.text(field)): Decimal {
    return this.#values.number(cell, this.#isNumber(field), word)
  }

  #isNumber(field: Field): boolean {
    return this.row.types?.get(this.#placeOf(field)) === 'number'
  }

  #placeOf(field: Field): number {
    return this.#columns[field] ?? -1
  }
}

/** A number without the lots that some platforms write after it, in their language. */
export function withoutLots(cell: string): string {
  return cell.replace(/\s?lot(?:s|es|ti)?\s*$/i, '')
}

/** @throws {UnreadableCell} for a formula: its result is not what the platform wrote. */
export function textAt(row: SourceRow, index: number): string {
  if (row.types?.get(index) === 'formula') throw new UnreadableCell('a cell is a formula')
  return (row.cells[index] ?? '').trim()
}

interface TradeFields extends Pick<TradeRow, 'login' | 'side' | 'openPrice' | 'closePrice' | 'symbol'> {
  /** Null where the rows have none: it is made of the content. */
  readonly id: string | null
  readonly volume: Decimal
  readonly opened: ReadTime | null
  readonly closed: ReadTime
  readonly net: readonly Decimal[]
}

/** The id of a trade that its file gives none, until all rows are read. */
export const NO_ID = ''

type PositionField = 'id' | 'symbol' | 'side' | 'volume' | 'opened' | 'closed' | 'openPrice' | 'closePrice'

/** The cells of a trade that has a column for each of its facts, and none for its login. */
export function positionIn(cells: RowCells<PositionField>, words?: Parameters<typeof cells.side>[1]) {
  return {
    login: null,
    ...{ id: cells.text('id'), symbol: cells.text('symbol'), side: cells.side('side', words) },
    ...{ volume: cells.volume('volume'), opened: cells.time('opened'), closed: cells.time('closed') },
    ...{ openPrice: cells.price('openPrice'), closePrice: cells.price('closePrice') },
  }
}

/** @throws {UnreadableCell} for what no trade has. */
export function tradeRow(row: SourceRow, fields: TradeFields): ReadRow {
  const { login, id, symbol, side, volume, opened, closed, openPrice, closePrice, net } = fields
  if (id === '') throw new UnreadableCell('the row has no id')
  if (symbol === '' || symbol.length > 32) throw new UnreadableCell('expected a symbol of 1 to 32 characters')
  for (const time of [opened, closed]) if (time && !time.hasTime) throw new UnreadableCell(`"${time.cell}" is no time`)
  if (opened && closed.ms < opened.ms) throw new UnreadableCell('the close is before the opening')
  const printed: TradeRow = {
    ...{ line: row.line, row: 'trade', login, id: id ?? NO_ID, symbol, side, volume: volumeText(volume) },
    ...{ openedAt: opened && instantText(opened.ms), at: instantText(closed.ms), openPrice, closePrice },
    profit: amountText(sumOf(net)),
  }
  return { printed, cells: row.cells, opened, closed }
}

interface TransferFields extends Pick<TransferRow, 'login' | 'id' | 'why'> {
  readonly at: ReadTime
  readonly amount: readonly Decimal[]
}

/** @throws {UnreadableCell} without an id. */
export function transferRow(row: SourceRow, { login, id, at, amount, why }: TransferFields): ReadRow {
  if (id === '') throw new UnreadableCell('the row has no id')
  if (!at.hasTime) throw new UnreadableCell(`"${at.cell}" is no time`)
  const printed: TransferRow = {
    ...{ line: row.line, row: 'transfer', login, id, at: instantText(at.ms), amount: amountText(sumOf(amount)), why },
  }
  return { printed, cells: row.cells, opened: null, closed: at }
}

export function skippedRow(row: SourceRow, reason: string): ReadRow {
  return plainRow(row, { line: row.line, row: 'skipped', reason })
}

/** Reads a row, whose fault becomes a row of its own. */
export function orFault(row: SourceRow, read: () => ReadRow): ReadRow {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof UnreadableCell)) throw error
    return plainRow(row, { line: row.line, row: 'fault', reason: error.message })
  }
}

/** Reads for a check. What cannot be read is null: a fault of a row is no disagreement. */
export function readable<Value>(read: () => Value): Value | null {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof UnreadableCell)) throw error
    return null
  }
}

function plainRow(row: SourceRow, printed: StatementRow): ReadRow {
  return { printed, cells: row.cells, opened: null, closed: null }
}

const DAY = 86_400_000

interface DayFields extends Pick<DayRow, 'login' | 'trades'> {
  readonly time: ReadTime
  /** Reads a local time of the file's zone. */
  readonly instantOf: (local: number) => ReadTime
  readonly balance: Decimal
  readonly equity: Decimal
  readonly lowest: Decimal | null
  readonly highest: Decimal | null
}

/** A day at 00:00:00 is the one before; there, and without a time, it lies in its last second. */
export function dayRow(row: SourceRow, fields: DayFields): ReadRow {
  const { login, time, instantOf, balance, equity, lowest, highest, trades } = fields
  const local = time.local ?? time.ms
  const isMidnight = time.hasTime && local % DAY === 0
  const date = Math.floor(local / DAY) - (isMidnight ? 1 : 0)
  const at = isMidnight || !time.hasTime ? instantOf((date + 1) * DAY - 1000) : time
  const [low, high, close] = [lowest && centsOf(lowest), highest && centsOf(highest), centsOf(equity)]
  if (low !== null && high !== null && low > high) throw new UnreadableCell('the lowest is above the highest')
  if ((low !== null && close < low) || (high !== null && close > high))
    throw new UnreadableCell('the equity lies outside the lowest and the highest')
  const printed: DayRow = {
    ...{ line: row.line, row: 'day', login, date: new Date(date * DAY).toISOString().slice(0, 10) },
    ...{ at: instantText(at.ms), balance: amountText(balance), equity: amountText(equity) },
    ...{ lowestEquity: lowest && amountText(lowest), highestEquity: highest && amountText(highest), trades },
  }
  return { printed, cells: row.cells, opened: null, closed: at }
}
