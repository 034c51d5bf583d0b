import type { StatementAccount, StatementCheck } from '../../statement-vocabulary.ts'
import { columnsOf } from '../headings.ts'
import { ledgerKind } from '../ledger.ts'
import { isBacktest, labelledTexts, textsOf } from '../metatrader-head.ts'
import { type Columns, orFault, readable, RowCells, skippedRow, tradeRow, transferRow } from '../row-cells.ts'
import {
  checkOf,
  differenceOrNull,
  grossResult,
  statedBelow,
  statedIn,
  sumOrNull,
  totalOf,
  wholeFile,
} from '../section-totals.ts'
import type { Source, SourceRow } from '../sources/source.ts'
import type { ReadRow, ReadTime, StatementFormat, Values } from '../statement-format.ts'
import { UnreadableCell } from '../unreadable-statement.ts'
import { centsOf, type Decimal, sumOf } from '../values/decimal.ts'

const headings = {
  id: ['Ticket', 'Тикет', 'Ордер', 'Biglietto'],
  opened: ['Open Time', 'Время открытия', 'Время', 'Ora apertura', 'Orario apertura'],
  side: ['Type', 'Тип', 'Tipo'],
  volume: ['Size', 'Объем', 'Объём', 'Volume', 'Dimensione'],
  symbol: ['Item', 'Символ', 'Инструмент', 'Simbolo'],
  openPrice: ['Price (1)', 'Цена (1)', 'Prezzo (1)'],
  closed: ['Close Time', 'Время закрытия', 'Ora chiusura', 'Orario chiusura'],
  closePrice: ['Price (2)', 'Цена (2)', 'Prezzo (2)'],
  commission: ['Commission', 'Комиссия', 'Commissione', 'Commissioni'],
  taxes: ['Taxes', 'Налоги', 'Налог', 'Tasse'],
  swap: ['Swap', 'Своп'],
  profit: ['Profit', 'Прибыль', 'Profitto'],
} as const
type Field = keyof typeof headings

/** The table has the same places in every language. */
const places: Columns<Field> = {
  ...{ id: 0, opened: 1, side: 2, volume: 3, symbol: 4, openPrice: 5, closed: 8, closePrice: 9 },
  ...{ commission: 10, taxes: 11, swap: 12, profit: 13 },
}
const WIDTH = 14
/** The row of a transfer: ticket, time, type, comment, amount. */
const TRANSFER_WIDTH = 5
const TRANSFER_AMOUNT = 4
/** The row of a cancelled order says so instead of its amounts. */
const CANCELLED_WIDTH = 11
/** The totals stand below their columns. */
const TOTALS_WIDTH = 5

/** The closed trades are the first table. */
const ROWS_TO_HEADINGS = 100

interface Closed {
  readonly columns: Columns<Field>
  readonly rows: readonly SourceRow[]
  readonly totals: SourceRow | null
  readonly result: SourceRow | null
  /** What stands above and below the closed trades. */
  readonly head: readonly SourceRow[]
  readonly rest: readonly SourceRow[]
}

/** The statement of MetaTrader 4, which is HTML alone: closed trades, open ones, orders, a summary. */
export const mt4Statement: StatementFormat = {
  id: 'mt4-statement',
  again: 'told',
  recognise: (source) => {
    const closed = source.kind === 'html' && !isBacktest(source) ? closedTrades(source) : null
    if (!closed) return null
    return {
      zone: 'asked',
      account: accountIn(closed.head, source.title ?? ''),
      numbers: null,
      dates: 'year-first',
      read: (values) => {
        const cells = closed.rows.map((row) => new RowCells(row, closed.columns, values))
        const rows = cells.map((each) => orFault(each.row, () => rowOf(each, values)))
        return {
          rows,
          checks: checksOf(closed, cells, rows, values, source.isClosed),
          until: dateIn(closed.head, values),
        }
      },
    }
  },
}

function closedTrades({ rows }: Source): Closed | null {
  const index = rows.slice(0, ROWS_TO_HEADINGS).findIndex((row) => columnsIn(row) !== null)
  const columns = rows[index] && columnsIn(rows[index])
  if (!columns) return null
  const below = rows.slice(index + 1)
  const place = below.findIndex(isResultOrTitle)
  const end = place === -1 ? below.length : place
  const within = below.slice(0, end)
  const result = below[end]?.cells.length === 2 ? (below[end] ?? null) : null
  const totals = within.findLast(isTotals) ?? null
  // Builds of 2009 have the comment of a trade in a row below it.
  const isComment = ({ cells }: SourceRow) => cells.length === 1 || (cells.length === 2 && !isFilled(cells[0]))
  const own = within.filter((row) => row !== totals && !isComment(row))
  return {
    ...{ columns, rows: own, totals, result },
    ...{ head: rows.slice(0, index), rest: below.slice(end) },
  }
}

function columnsIn(row: SourceRow): Columns<Field> | null {
  const texts = textsOf(row)
  if (texts.length !== WIDTH || texts.some((text) => text === '' || /\d/.test(text))) return null
  return columnsOf(texts, headings) ?? (texts[5] === texts[9] ? places : null)
}

/** `Closed P/L:` with its amount, or `Open Trades:` alone. */
function isResultOrTitle({ cells }: SourceRow): boolean {
  return cells.length <= 2 && /:\s*$/.test(cells[0] ?? '')
}

function isTotals({ cells }: SourceRow): boolean {
  return cells.length === TOTALS_WIDTH && !isFilled(cells[0])
}

function isFilled(cell: string | undefined): boolean {
  return (cell ?? '').trim() !== ''
}

function rowOf(cells: RowCells<Field>, values: Values): ReadRow {
  const { row } = cells
  const type = cells.text('side')
  const kind = ledgerKind(type)
  if (kind && 'why' in kind) {
    expectWidth(row, TRANSFER_WIDTH)
    const amount = values.number((row.cells[TRANSFER_AMOUNT] ?? '').trim(), false, 'amount')
    const why = kind.why(centsOf(amount))
    return transferRow(row, { login: null, id: cells.text('id'), at: cells.time('opened'), amount: [amount], why })
  }
  if (kind) {
    if (row.cells.length !== TRANSFER_WIDTH) expectWidth(row, CANCELLED_WIDTH)
    return skippedRow(row, kind.skipped)
  }
  const side = cells.side('side')
  expectWidth(row, WIDTH)
  return tradeRow(row, {
    ...{ login: null, id: cells.text('id'), symbol: cells.text('symbol'), side, volume: cells.volume('volume') },
    ...{ opened: cells.time('opened'), closed: cells.time('closed') },
    ...{ openPrice: cells.price('openPrice'), closePrice: cells.price('closePrice') },
    net: [cells.amount('profit'), cells.amount('commission'), cells.amount('taxes'), cells.amount('swap')],
  })
}

function expectWidth({ cells }: SourceRow, width: number): void {
  if (cells.length !== width) throw new UnreadableCell(`expected ${width} cells, and found ${cells.length}`)
}

function checksOf(
  { totals, result, columns, rest }: Closed,
  cells: readonly RowCells<Field>[],
  rows: readonly ReadRow[],
  values: Values,
  isClosed: boolean,
): readonly StatementCheck[] {
  const kinds = cells.map((each) => readable(() => ledgerKind(each.text('side')) ?? each.side('side')))
  const trades = cells.filter((_, index) => typeof kinds[index] === 'string')
  // A row of an unknown type, or with too few cells, may belong to any sum.
  const isKnown = !kinds.includes(null) && trades.every(({ row }) => row.cells.length === WIDTH)
  const total = (...fields: readonly Field[]) => (isKnown ? totalOf(trades, ...fields) : null)
  const closed = total('profit', 'commission', 'taxes', 'swap')
  const stated = (text: string | undefined) => statedIn(text, values)
  const statedTotal = (field: Field) => statedBelow(totals, columns[field], values)
  const labels = labelledTexts(rest)
  const label = (name: string) => stated(labels.get(name))
  const [first] = rows
  const isWholeHistory = first?.printed.row === 'transfer' && first.printed.why === 'deposit'
  return [
    ...checkOf('total commission', statedTotal('commission'), total('commission')),
    ...checkOf('total taxes', statedTotal('taxes'), total('taxes')),
    ...checkOf('total swap', statedTotal('swap'), total('swap')),
    ...checkOf('total profit', statedTotal('profit'), total('profit')),
    ...checkOf('closed profit', stated(result?.cells[1]), closed),
    // Nothing has totals where it says "No transactions".
    wholeFile(isClosed && (rows.length === 0 || (totals !== null && result !== null))),
    ...checkOf('closed trade profit', label('closed trade p/l'), closed),
    ...checkOf('deposits and withdrawals', label('deposit/withdrawal'), isKnown ? depositsIn(rows, kinds) : null),
    ...checkOf(
      'balance',
      isWholeHistory ? label('balance') : null,
      sumOrNull([label('deposit/withdrawal'), label('closed trade p/l')]),
    ),
    ...checkOf(
      'equity',
      label('equity'),
      sumOrNull([label('balance'), label('credit facility'), label('floating p/l')]),
    ),
    ...checkOf('free margin', label('free margin'), differenceOrNull(label('equity'), label('margin'))),
    ...checkOf('net profit', label('total net profit'), grossResult(label('gross profit'), label('gross loss'))),
    ...checkOf('net profit of the rows', label('total net profit'), closed),
  ]
}

/** Null where a ledger row cannot be read. */
function depositsIn(rows: readonly ReadRow[], kinds: readonly unknown[]): Decimal | null {
  const amounts: Decimal[] = []
  for (const [index, { printed }] of rows.entries()) {
    if (printed.row === 'fault' && typeof kinds[index] !== 'string') return null
    if (printed.row === 'transfer' && /^(?:deposit|withdrawal)$/.test(printed.why))
      amounts.push({ units: BigInt(printed.amount.replace('.', '')), decimals: 2 })
  }
  return sumOf(amounts)
}

function accountIn(head: readonly SourceRow[], title: string): StatementAccount {
  const texts = head.flatMap(textsOf).filter((text) => text !== '')
  const labelled = (pattern: RegExp) =>
    texts.map((text) => pattern.exec(text)?.[1]).find((found) => found !== undefined)
  const login = labelled(/^[^:]+:\s*(\d+)$/) ?? /^[^:]+:\s*(\d+)\s*-/.exec(title)?.[1] ?? null
  return { login, currency: labelled(/^(?:Currency|Валюта|Valuta):\s*([A-Z]{3})$/i) ?? null, server: null }
}

const MONTHS = 'January February March April May June July August September October November December'.split(' ')
const DATE = /^(\d{4}) ([A-Z][a-z]+) (\d{1,2}), (\d{1,2}:\d{2}(?::\d{2})?)$/

/** The date of the report, `2024 March 8, 18:30`. */
function dateIn(head: readonly SourceRow[], values: Values): ReadTime | null {
  for (const text of head.flatMap(textsOf)) {
    const [, year, month = '', day, clock] = DATE.exec(text) ?? []
    const number = MONTHS.indexOf(month) + 1
    if (number > 0) return readable(() => values.time(`${year}.${number}.${day} ${clock}`, false))
  }
  return null
}
