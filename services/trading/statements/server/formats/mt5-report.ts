import type { StatementAccount, StatementCheck } from '../../statement-vocabulary.ts'
import { balanceChain, type Link } from '../balance-chain.ts'
import { columnsOf } from '../headings.ts'
import { ledgerKind } from '../ledger.ts'
import { isBacktest, labelledTexts, textsOf } from '../metatrader-head.ts'
import { type Fill, type Position, positionsOfFees } from '../mt5-fees.ts'
import { type Columns, orFault, readable, RowCells, skippedRow, tradeRow, transferRow } from '../row-cells.ts'
import {
  checkOf,
  differenceOrNull,
  grossResult,
  statedBelow,
  statedIn,
  sumOrNull,
  wholeFile,
} from '../section-totals.ts'
import { cellsByColumn, type Source, type SourceRow } from '../sources/source.ts'
import { amountsAgree } from '../statement-checks.ts'
import type { ReadRow, ReadStatement, ReadTime, StatementFormat, Values } from '../statement-format.ts'
import { UnreadableCell } from '../unreadable-statement.ts'
import { amountText, centsOf, type Decimal, negated, plainText, sumOf, zero } from '../values/decimal.ts'
import { timeIn } from '../values/times.ts'

const positionHeadings = {
  opened: ['Time (1)', 'Время (1)', 'Ora (1)'],
  id: ['Position', 'Позиция', 'Posizione'],
  symbol: ['Symbol', 'Символ', 'Simbolo'],
  side: ['Type', 'Тип', 'Tipo'],
  volume: ['Volume', 'Объем', 'Объём'],
  openPrice: ['Price (1)', 'Цена (1)', 'Prezzo (1)'],
  closed: ['Time (2)', 'Время (2)', 'Ora (2)'],
  closePrice: ['Price (2)', 'Цена (2)', 'Prezzo (2)'],
  commission: ['Commission', 'Комиссия', 'Commissione', 'Commissioni'],
  swap: ['Swap', 'Своп'],
  profit: ['Profit', 'Прибыль', 'Profitto'],
} as const
type PositionField = keyof typeof positionHeadings

const positionPlaces: Columns<PositionField> = {
  ...{ opened: 0, id: 1, symbol: 2, side: 3, volume: 4, openPrice: 5, closed: 8, closePrice: 9, commission: 10 },
  ...{ swap: 11, profit: 12 },
}
const POSITION_WIDTH = 13

const dealHeadings = {
  time: ['Time', 'Время', 'Ora'],
  id: ['Deal', 'Сделка', 'Affare', 'Operazione'],
  symbol: ['Symbol', 'Символ', 'Simbolo'],
  side: ['Type', 'Тип', 'Tipo'],
  direction: ['Direction', 'Направление', 'Direzione'],
  volume: ['Volume', 'Объем', 'Объём'],
  order: ['Order', 'Ордер', 'Ordine'],
  commission: ['Commission', 'Комиссия', 'Commissione', 'Commissioni'],
  fee: ['Fee', 'Сбор', 'Сборы', 'Tariffa', 'Tariffe', 'Commissione aggiuntiva'],
  swap: ['Swap', 'Своп'],
  profit: ['Profit', 'Прибыль', 'Profitto'],
  balance: ['Balance', 'Баланс', 'Saldo', 'Bilancio'],
} as const
type DealField = keyof typeof dealHeadings

/** The costs stand between the order and the commission, in workbooks alone. */
const dealPlaces = (costs: number): Columns<DealField> => ({
  ...{ time: 0, id: 1, symbol: 2, side: 3, direction: 4, volume: 5, order: 7, commission: 8 + costs, fee: 9 + costs },
  ...{ swap: 10 + costs, profit: 11 + costs, balance: 12 + costs },
})
const DEAL_WIDTH = 14

interface Section<Field extends string> {
  readonly heading: SourceRow
  readonly columns: Columns<Field>
  readonly rows: SourceRow[]
}

interface Report {
  positions: Section<PositionField> | null
  deals: Section<DealField> | null
  readonly openPositions: SourceRow[]
  dealTotals: SourceRow | null
  /** Above the first table. */
  readonly head: SourceRow[]
  /** Below the tables. */
  readonly rest: SourceRow[]
}

/** The history of MetaTrader 5 as HTML or XLSX: the same blocks below one another. */
export const mt5Report: StatementFormat = {
  id: 'mt5-report',
  again: 'told',
  recognise: (source) => {
    const report = source.kind === 'csv' || isBacktest(source) ? null : reportIn(source)
    if (!report) return null
    return {
      zone: 'asked',
      account: accountIn(report.head),
      numbers: null,
      dates: 'year-first',
      read: (values) => readReport(report, values, source.isClosed),
    }
  },
}

function reportIn({ rows }: Source): Report | null {
  const report: Report = { positions: null, deals: null, openPositions: [], dealTotals: null, head: [], rest: [] }
  let into: SourceRow[] = report.head
  for (const [index, row] of rows.entries()) {
    // Most rows begin with their time: they are neither headings nor titles nor totals.
    if (/^\d{4}\./.test(row.cells[0] ?? '')) {
      if (into !== report.rest) into.push(row)
      continue
    }
    const texts = textsOf(row)
    const next = rows[index + 1]
    if (!report.positions && !report.deals && positionColumns(texts)) {
      report.positions = { heading: row, columns: positionColumns(texts) ?? {}, rows: [] }
      into = report.positions.rows
    } else if (!report.deals && dealColumns(texts, report.positions, next)) {
      report.deals = { heading: row, columns: dealColumns(texts, report.positions, next) ?? {}, rows: [] }
      into = report.deals.rows
    } else if (report.deals && report.dealTotals && isOpenHeading(texts, report.positions)) into = report.openPositions
    else if (report.deals && into === report.deals.rows && isTotals(row)) {
      report.dealTotals = row
      into = report.rest
    } else if (texts.length === 1 && row.cells.length === 1) {
      // A title ends the table above it.
      if (report.positions || report.deals) into = report.rest
    } else into.push(row)
  }
  return report.positions || report.deals ? report : null
}

function positionColumns(texts: readonly string[]): Columns<PositionField> | null {
  if (texts.length < POSITION_WIDTH || !isHeading(texts)) return null
  const isByPlace =
    texts.length === POSITION_WIDTH && texts[0] === texts[8] && texts[5] === texts[9] && texts[0] !== texts[5]
  return columnsOf(texts, positionHeadings) ?? (isByPlace ? positionPlaces : null)
}

function dealColumns(
  texts: readonly string[],
  positions: Section<PositionField> | null,
  next: SourceRow | undefined,
): Columns<DealField> | null {
  if (texts.length < DEAL_WIDTH || !isHeading(texts)) return null
  const { fee, ...required } = dealHeadings
  const found = columnsOf(texts, required, { fee })
  if (found) return found
  const costs = texts.length - DEAL_WIDTH
  if (costs > 1) return null
  const above = positions ? textsOf(positions.heading) : null
  const hasWordsAbove = above?.slice(2, 6).every((text, index) => text === texts[[2, 3, 5, 6][index] ?? -1])
  const below = next?.cells.map((cell) => cell.trim()) ?? []
  const hasDealBelow = timeIn(below[0] ?? '', 'year-first') !== null && isDealType(below[3] ?? '')
  return hasWordsAbove || hasDealBelow ? dealPlaces(costs) : null
}

function isOpenHeading(texts: readonly string[], positions: Section<PositionField> | null): boolean {
  if (!isHeading(texts) || texts.length < 10) return false
  if (positions)
    return textsOf(positions.heading)
      .slice(0, 5)
      .every((text, index) => text === texts[index])
  return /^(?:Position|Позиция|Posizione)$/i.test(texts[1] ?? '')
}

/** Headings have no numbers and no gaps. */
function isHeading(texts: readonly string[]): boolean {
  return texts.every((text) => text !== '' && !/\d/.test(text))
}

function isDealType(type: string): boolean {
  return /^(?:buy|sell)$/i.test(type) || ledgerKind(type) !== null
}

/** The totals of the deals stand below their columns, behind empty cells. */
function isTotals(row: SourceRow): boolean {
  const cells = cellsByColumn(row)
  return cells.slice(0, 8).every((cell) => cell.trim() === '') && cells.slice(8).some((cell) => /\d/.test(cell))
}

const openPlaces: Columns<PositionField> = { opened: 0, id: 1, symbol: 2, side: 3, volume: 4 }

/** Fees may be of positions that are open still. */
function openPositionsIn({ openPositions }: Report, values: Values): readonly Position[] {
  return openPositions.flatMap((row) => {
    const cells = new RowCells(row, openPlaces, values)
    const read = readable(() => ({
      ...{ id: cells.text('id'), symbol: cells.text('symbol'), side: cells.side('side') },
      ...{ volume: cells.volume('volume'), opened: cells.time('opened').ms, closed: Infinity },
    }))
    return read ?? []
  })
}

interface ReadPosition {
  readonly read: ReadRow
  /** Null for a row with a fault. */
  readonly position: Position | null
  readonly net: readonly Decimal[]
}

interface ReadDeal {
  readonly cells: RowCells<DealField>
  readonly isFill: boolean
  /** Null for a fill that was read: its position is the trade. */
  readonly read: ReadRow | null
  readonly fill: Fill | null
  /** Null where a cell cannot be read. */
  readonly money: Readonly<Record<MoneyField, Decimal | null>>
}

const moneyFields = ['commission', 'fee', 'swap', 'profit'] as const
type MoneyField = (typeof moneyFields)[number]

function readReport(report: Report, values: Values, isClosed: boolean): ReadStatement {
  const positions = report.positions ? readPositions(report.positions, values) : []
  const deals = report.deals ? readDeals(report.deals, values) : []
  const charged = deals.filter(({ fill }) => fill && fill.fee.units !== 0n)
  const known = positions.flatMap(({ position }, index) => (position ? [{ position, index }] : []))
  const owners = positionsOfFees(
    [...known.map(({ position }) => position), ...openPositionsIn(report, values)],
    charged.flatMap(({ fill }) => fill ?? []),
  )
  const fees = new Map<number, Decimal[]>()
  const [ofNone, ofSeveral] = [new Set<ReadDeal>(), new Set<ReadDeal>()]
  for (const [index, deal] of charged.entries()) {
    const found = owners[index] ?? 'none'
    const owner = typeof found === 'number' ? known[found]?.index : undefined
    if (owner === undefined) ofNone.add(deal)
    else if (deal.fill) {
      const own = fees.get(owner)
      if (own) own.push(deal.fill.fee)
      else fees.set(owner, [deal.fill.fee])
    }
    if (found === 'several') ofSeveral.add(deal)
  }
  const trades = positions.map(({ read, net }, index) => withFees(read, net, fees.get(index)))
  const ledger = deals.flatMap((deal) =>
    deal.read ? [deal.read] : ofNone.has(deal) ? [skippedRow(deal.cells.row, NO_POSITION)] : [],
  )
  return {
    rows: [...trades, ...ledger],
    checks: checksOf(report, positions, deals, { own: [...fees.values()].flat(), ofSeveral }, values, isClosed),
    until: dateIn(report.head, values),
  }
}

interface Fees {
  readonly own: readonly Decimal[]
  /** The deals with a fee that could be of several positions. */
  readonly ofSeveral: ReadonlySet<ReadDeal>
}

const NO_POSITION = 'a fee of a position that is not in the file'

function readPositions({ heading, columns, rows }: Section<PositionField>, values: Values): readonly ReadPosition[] {
  return rows.map((row): ReadPosition => {
    let [position, net]: [Position | null, readonly Decimal[]] = [null, []]
    const read = orFault(row, () => {
      expectWidth(row, heading)
      const cells = new RowCells(row, columns, values)
      const own = {
        ...{ id: cells.text('id'), symbol: cells.text('symbol'), side: cells.side('side') },
        volume: cells.volume('volume'),
      }
      const [opened, closed] = [cells.time('opened'), cells.time('closed')]
      net = [cells.amount('profit'), cells.amount('commission'), cells.amount('swap')]
      const [openPrice, closePrice] = [cells.price('openPrice'), cells.price('closePrice')]
      const trade = tradeRow(row, { login: null, ...own, opened, closed, openPrice, closePrice, net })
      position = { ...own, opened: opened.ms, closed: closed.ms }
      return trade
    })
    return { read, position, net }
  })
}

function withFees(read: ReadRow, net: readonly Decimal[], fees: readonly Decimal[] | undefined): ReadRow {
  if (!fees || read.printed.row !== 'trade') return read
  return { ...read, printed: { ...read.printed, profit: amountText(sumOf([...net, ...fees])) } }
}

function readDeals({ heading, columns, rows }: Section<DealField>, values: Values): readonly ReadDeal[] {
  return rows.map((row): ReadDeal => {
    const cells = new RowCells(row, columns, values)
    const isFill = /^(?:buy|sell)$/i.test(readable(() => cells.text('side')) ?? '')
    const amounts = moneyFields.map((field) => readable(() => cells.amountOrZero(field)))
    const [commission = null, fee = null, swap = null, profit = null] = amounts
    const money = { commission, fee, swap, profit }
    let fill: Fill | null = null
    const read = orFault(row, () => {
      expectWidth(row, heading)
      if (!isFill) return ledgerRow(cells, money)
      fill = fillOf(cells, money)
      return skippedRow(row, '')
    })
    return { cells, isFill, fill, money, read: fill ? null : read }
  })
}

function fillOf(cells: RowCells<DealField>, money: ReadDeal['money']): Fill {
  const direction = cells.text('direction').toLowerCase()
  if (!/^(?:in|out|in\/out|out by)$/.test(direction))
    throw new UnreadableCell(`"${cells.text('direction')}" is no direction of a deal`)
  expectMoney(cells, money)
  return {
    ...{ symbol: cells.text('symbol'), side: cells.side('side'), direction: direction === 'in' ? 'in' : 'out' },
    ...{ order: cells.text('order'), volume: cells.volume('volume'), at: cells.time('time').ms },
    fee: money.fee ?? zero,
  }
}

/** @throws {UnreadableCell} naming the first amount that cannot be read */
function expectMoney(cells: RowCells<DealField>, money: ReadDeal['money']): void {
  for (const field of moneyFields) if (money[field] === null) cells.amountOrZero(field)
}

function ledgerRow(cells: RowCells<DealField>, money: ReadDeal['money']): ReadRow {
  const { row } = cells
  const kind = ledgerKind(cells.text('side'))
  if (!kind) throw new UnreadableCell(`"${cells.text('side')}" is no type of a row`)
  if ('skipped' in kind) return skippedRow(row, kind.skipped)
  expectMoney(cells, money)
  const amount = sumOrNull(Object.values(money)) ?? zero
  const why = kind.why(centsOf(amount))
  return transferRow(row, { login: null, id: cells.text('id'), at: cells.time('time'), amount: [amount], why })
}

/** A row of a sheet ends with its last cell that has a value. */
function expectWidth({ cells, types }: SourceRow, { cells: headings, types: ofSheet }: SourceRow): void {
  const isSheet = types !== undefined || ofSheet !== undefined
  const isRight = isSheet ? cells.length <= headings.length : cells.length === headings.length
  if (!isRight)
    throw new UnreadableCell(`expected ${headings.length} cells, as the headings are, and found ${cells.length}`)
}

function checksOf(
  { positions: own, deals: section, dealTotals, openPositions, rest }: Report,
  positions: readonly ReadPosition[],
  deals: readonly ReadDeal[],
  fees: Fees,
  values: Values,
  isClosed: boolean,
): readonly StatementCheck[] {
  const stated = (text: string | undefined) => statedIn(text, values)
  const statedTotal = (field: DealField) => statedBelow(dealTotals, section?.columns[field], values)
  const total = (field: MoneyField) => sumOrNull(deals.map(({ money }) => money[field]))
  const links = deals.map(linkOf)
  const isRead = !links.includes(null)
  const known = links.filter((link) => link !== null)
  const first = known[0]
  const isWholeHistory =
    deals[0]?.read?.printed.row === 'transfer' &&
    deals[0].read.printed.why === 'deposit' &&
    first !== undefined &&
    amountsAgree(first.balance, first.money)
  const chain = isRead ? balanceChain(known, isWholeHistory ? zero : null) : null
  // A close has a position, so a report with one has the table of them.
  const hasPositions = own !== null || !deals.some(({ fill }) => fill?.direction === 'out')
  const labels = labelledTexts([...openPositions, ...rest])
  const label = (name: string) => stated(labels.get(name))
  const trades = (name: string) => stated(/^\d+/.exec(labels.get(name) ?? '')?.[0])
  return [
    ...(chain?.checks ?? []),
    ...checkOf('total commission', statedTotal('commission'), total('commission')),
    ...checkOf('total fee', statedTotal('fee'), section?.columns.fee === undefined ? null : total('fee')),
    ...checkOf('total swap', statedTotal('swap'), total('swap')),
    ...profitCheck(statedTotal('profit'), deals),
    ...checkOf('final balance', statedTotal('balance'), chain?.last ?? null),
    ...(isWholeHistory ? closedProfit(positions, deals, openPositions, fees) : []),
    wholeFile(dealTotals !== null && hasPositions && isClosed),
    ...checkOf('balance', label('balance'), statedTotal('balance')),
    ...checkOf(
      'equity',
      label('equity'),
      sumOrNull([label('balance'), label('credit facility') ?? zero, label('floating p/l')]),
    ),
    ...checkOf('free margin', label('free margin'), differenceOrNull(label('equity'), label('margin'))),
    ...checkOf('net profit', label('total net profit'), grossResult(label('gross profit'), label('gross loss'))),
    ...countCheck(trades('total trades'), sumOrNull([trades('short trades (won %)'), trades('long trades (won %)')])),
  ]
}

function countCheck(stated: Decimal | null, computed: Decimal | null): readonly StatementCheck[] {
  if (!stated || !computed) return []
  const [one, other] = [plainText(stated), plainText(computed)]
  return [{ name: 'trades long and short', stated: one, computed: other, agrees: one === other }]
}

/** The total has the amounts of ledger rows; whether credits are among them differs. */
function profitCheck(stated: Decimal | null, deals: readonly ReadDeal[]): readonly StatementCheck[] {
  const total = (some: readonly ReadDeal[]) => sumOrNull(some.map(({ money }) => money.profit))
  const withoutCredits = total(deals.filter(({ cells }) => !isCredit(cells)))
  const isOther = stated && withoutCredits && amountsAgree(stated, withoutCredits)
  return checkOf('total profit', stated, isOther ? withoutCredits : total(deals))
}

function isCredit(cells: RowCells<DealField>): boolean {
  return /^(?:credit|bonus)$/i.test(readable(() => cells.text('side')) ?? '')
}

/** Null for a deal that cannot be read. */
function linkOf({ cells, read, fill, money }: ReadDeal): Link | null {
  if (read?.printed.row === 'fault') return null
  return readable(() => ({
    ...{ line: cells.row.line, at: fill?.at ?? cells.time('time').ms, balance: cells.amount('balance') },
    money: sumOf(Object.values(money).map((amount) => amount ?? zero)),
    isRestart: /^(?:credit|correction|bonus)$/i.test(cells.text('side')),
  }))
}

/**
 * The positions against the deals, without those of open positions, where the rest buys as much of each symbol as it
 * sells. A fee that could be of several positions is on neither side.
 */
function closedProfit(
  positions: readonly ReadPosition[],
  deals: readonly ReadDeal[],
  openPositions: readonly SourceRow[],
  fees: Fees,
): readonly StatementCheck[] {
  const open = new Set(openPositions.map(({ cells }) => (cells[1] ?? '').trim()))
  const fills = deals.filter(({ isFill, fill }) => isFill && !open.has(fill?.order ?? ''))
  if (fills.some(({ fill }) => !fill) || positions.some(({ position }) => !position)) return []
  const symbols = new Set([
    ...positions.map(({ position }) => position?.symbol),
    ...openPositions.map(({ cells }) => (cells[2] ?? '').trim()),
  ])
  const volumes = new Map<string, Decimal[]>()
  for (const { fill } of fills) {
    if (!fill) continue
    const own = volumes.get(fill.symbol)
    const signed = fill.side === 'buy' ? fill.volume : negated(fill.volume)
    if (own) own.push(signed)
    else volumes.set(fill.symbol, [signed])
  }
  // What one symbol lacks and one of no position has too much of is a symbol that was edited, and is told.
  const uneven = [...volumes].filter(([, signed]) => sumOf(signed).units !== 0n)
  const isEdited =
    sumOf(uneven.flatMap(([, signed]) => signed)).units === 0n && uneven.some(([symbol]) => !symbols.has(symbol))
  if (uneven.length > 0 && !isEdited) return []
  const computed = fills.flatMap((deal) => {
    const { commission, swap, profit, fee } = deal.money
    return [commission, swap, profit, ...(fees.ofSeveral.has(deal) ? [] : [fee])]
  })
  return checkOf('closed profit', sumOf([...positions.flatMap(({ net }) => net), ...fees.own]), sumOrNull(computed))
}

/** `70000001 (USD, Broker-Live, real, Hedge)`; some brokers write the leverage before the server. */
function accountIn(head: readonly SourceRow[]): StatementAccount {
  for (const text of head.flatMap(textsOf)) {
    const [, login, inside] = /^(\d+)\s*\((.*)\)$/.exec(text) ?? []
    if (login === undefined || inside === undefined) continue
    const parts = inside.split(',').map((part) => part.trim())
    const [first = '', ...others] = parts
    const currency = /^[A-Z]{3}$/.test(first) ? first : null
    const server = (currency === null ? parts : others).find((part) => part !== '' && !/^1:\d+$/.test(part))
    return { login, currency, server: server ?? null }
  }
  return { login: null, currency: null, server: null }
}

/** The date of the report, in the language of every terminal the same. */
function dateIn(head: readonly SourceRow[], values: Values): ReadTime | null {
  const text = head.flatMap(textsOf).find((each) => /^\d{4}\.\d\d\.\d\d \d\d:\d\d(?::\d\d)?$/.test(each))
  return text === undefined ? null : readable(() => values.time(text, false))
}
