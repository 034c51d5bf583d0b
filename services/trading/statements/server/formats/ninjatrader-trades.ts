import type { StatementCheck } from '../../statement-vocabulary.ts'
import { columnsOf } from '../headings.ts'
import { readable, type RowCells, tradeRow } from '../row-cells.ts'
import { disagreement, rowCheck } from '../statement-checks.ts'
import { tableFormat } from '../table-format.ts'
import { unreadableFile } from '../unreadable-statement.ts'
import { centsOf, type Decimal, negated, sumOf, zero } from '../values/decimal.ts'

const CUMULATED = 'Cum. net profit'

const required = {
  ...{ symbol: 'Instrument', side: 'Market pos.', volume: 'Qty', closed: 'Exit time', profit: 'Profit' },
} as const

/** Traders hide columns and order them. */
const optional = {
  ...{
    number: 'Trade number',
    account: 'Account',
    opened: 'Entry time',
    openPrice: 'Entry price',
    closePrice: 'Exit price',
  },
  ...{ cumulated: CUMULATED, commission: 'Commission', clearing: 'Clearing Fee', exchange: 'Exchange Fee' },
  ...{ ip: 'IP Fee', nfa: 'NFA Fee' },
} as const

type Field = keyof typeof required | keyof typeof optional

/** Of a row that cannot be read. */
const LARGE = 2n ** 64n

const costs = ['commission', 'clearing', 'exchange', 'ip', 'nfa'] as const

/** The Trades grid of NinjaTrader 8, in the language of numbers and times of its computer. */
export const ninjatraderTrades = tableFormat<Field>({
  id: 'ninjatrader-trades',
  again: 'fills',
  kinds: ['csv'],
  columns: (cells) => columnsOf(cells, required, optional),
  numbers: ['volume', 'openPrice', 'closePrice', 'profit', 'cumulated', ...costs],
  times: ['opened', 'closed'],
  zone: () => 'asked',
  row: (cells, all) =>
    tradeRow(cells.row, {
      login: cells.text('account') || null,
      id: null,
      symbol: cells.text('symbol'),
      side: cells.side('side', { buy: 'long', sell: 'short' }),
      volume: cells.volume('volume'),
      opened: cells.has('opened') ? cells.time('opened') : null,
      closed: cells.time('closed'),
      openPrice: cells.price('openPrice'),
      closePrice: cells.price('closePrice'),
      net: netOf(cells, isGross(all)),
    }),
  checks: (all) => {
    const gross = isGross(all)
    return stepsOf(all, (cells) => sumOf(netOf(cells, gross)))
  },
})

function costsOf(cells: RowCells<Field>): Decimal {
  return sumOf(costs.map((cost) => cells.amountOrZero(cost)))
}

function netOf(cells: RowCells<Field>, gross: boolean): readonly Decimal[] {
  return gross ? [cells.amount('profit'), negated(costsOf(cells))] : [cells.amount('profit')]
}

/** What was decided for the rows of a file. */
const decided = new WeakMap<readonly RowCells<Field>[], boolean>()

/**
 * Whether the profit is before all costs: the steps of the cumulated profit show which it is.
 *
 * @throws {UnreadableStatement} for costs of which they show neither.
 */
function isGross(all: readonly RowCells<Field>[]): boolean {
  const known = decided.get(all)
  if (known !== undefined) return known
  const gross = grossIn(all)
  decided.set(all, gross)
  return gross
}

function grossIn(all: readonly RowCells<Field>[]): boolean {
  const hasCosts = all.some((cells) => (readable(() => costsOf(cells))?.units ?? 0n) !== 0n)
  if (!hasCosts) return false
  const steps = [...stepsIn(all)].map(({ cells, step }) => [false, true].map((gross) => distanceOf(cells, step, gross)))
  const net = steps.filter(([one = LARGE, other = LARGE]) => one <= 1n && one <= other).length
  const gross = steps.filter(([one = LARGE, other = LARGE]) => other <= 1n && other <= one).length
  if (Math.max(net, gross) * 2 > steps.length) return gross > net
  throw unreadableFile(
    `The column "${CUMULATED}" does not show whether the profit is before or after its costs: please export the trades with it, in currency.`,
  )
}

/** In cents. Each amount is rounded by itself. */
function distanceOf(cells: RowCells<Field>, step: Decimal, gross: boolean): bigint {
  const net = readable(() => sumOf(netOf(cells, gross)))
  if (!net) return LARGE
  const distance = centsOf(step) - centsOf(net)
  return distance < 0n ? -distance : distance
}

/** The grid may be sorted by any column: the numbers of the trades give their order, where each is there once. */
function inOrder(all: readonly RowCells<Field>[]): readonly RowCells<Field>[] {
  const numbers = new Map(all.map((cells) => [cells, Number(readable(() => cells.text('number')) || Number.NaN)]))
  const isNumbered = new Set(numbers.values()).size === all.length && ![...numbers.values()].some(Number.isNaN)
  return isNumbered ? all.toSorted((one, other) => (numbers.get(one) ?? 0) - (numbers.get(other) ?? 0)) : all
}

/** By how much each row raises the cumulated profit. */
function* stepsIn(all: readonly RowCells<Field>[]) {
  let before: Decimal | null = zero
  for (const cells of inOrder(all)) {
    const after: Decimal | null = cells.has('cumulated') ? readable(() => cells.amount('cumulated')) : null
    if (before && after) yield { cells, before, after, step: sumOf([after, negated(before)]) }
    before = after
  }
}

function stepsOf(
  all: readonly RowCells<Field>[],
  netIn: (cells: RowCells<Field>) => Decimal,
): readonly StatementCheck[] {
  const steps = [...stepsIn(all)]
  if (steps.length === 0) return []
  const disagreeing = steps.flatMap(({ cells, before, after }) => {
    const net = readable(() => netIn(cells))
    return (net && disagreement(cells.row.line, after, sumOf([before, net]))) ?? []
  })
  return rowCheck(
    'cumulated profit',
    disagreeing.toSorted((one, other) => one.line - other.line),
  )
}
