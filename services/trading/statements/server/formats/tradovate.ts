import { columnsOf } from '../headings.ts'
import { type RowCells, skippedRow, tradeRow } from '../row-cells.ts'
import type { ReadRow } from '../statement-format.ts'
import { tableFormat } from '../table-format.ts'

/** Both reports of Tradovate have a row for each pair of fills. The one bought first is a long trade. */

type Field =
  | ('symbol' | 'volume' | 'profit' | 'buyFill' | 'sellFill')
  | ('buyPrice' | 'sellPrice' | 'bought' | 'sold' | 'account' | 'pair')

const numbers = ['volume', 'buyPrice', 'sellPrice', 'profit'] as const
const times = ['bought', 'sold'] as const

function pairOfFills(cells: RowCells<Field>): ReadRow {
  if (cells.text('bought') === '' || cells.text('sold') === '') return skippedRow(cells.row, 'an open position')
  const [bought, sold] = [cells.time('bought'), cells.time('sold')]
  const isShort = bought.ms > sold.ms
  const [buyPrice, sellPrice] = [cells.price('buyPrice'), cells.price('sellPrice')]
  return tradeRow(cells.row, {
    login: cells.text('account') || null,
    id: cells.text('pair') || fillsOf(cells),
    symbol: cells.text('symbol'),
    side: isShort ? 'sell' : 'buy',
    volume: cells.volume('volume'),
    opened: isShort ? sold : bought,
    closed: isShort ? bought : sold,
    openPrice: isShort ? sellPrice : buyPrice,
    closePrice: isShort ? buyPrice : sellPrice,
    net: [cells.amount('profit')],
  })
}

/** Without one of the two fills there is no id. */
function fillsOf(cells: RowCells<Field>): string {
  const fills = [cells.text('buyFill'), cells.text('sellFill')]
  return fills.includes('') ? '' : fills.join('-')
}

export const tradovatePositions = tableFormat<Field>({
  id: 'tradovate-positions',
  again: 'fills',
  kinds: ['csv'],
  columns: (cells) =>
    columnsOf(
      cells,
      {
        ...{ account: 'Account', symbol: 'Contract', buyFill: 'Buy Fill ID', sellFill: 'Sell Fill ID' },
        ...{ volume: 'Paired Qty', buyPrice: 'Buy Price', sellPrice: 'Sell Price', profit: 'P/L' },
        ...{ bought: 'Bought Timestamp', sold: 'Sold Timestamp' },
      },
      { pair: 'Pair ID' },
    ),
  numbers,
  times,
  dates: 'month-first',
  zone: () => 'asked',
  row: pairOfFills,
})

export const tradovatePerformance = tableFormat<Field>({
  id: 'tradovate-performance',
  again: 'fills',
  kinds: ['csv'],
  columns: (cells) =>
    columnsOf(cells, {
      ...{ symbol: 'symbol', buyFill: 'buyFillId', sellFill: 'sellFillId', volume: 'qty', buyPrice: 'buyPrice' },
      ...{ sellPrice: 'sellPrice', profit: 'pnl', bought: 'boughtTimestamp', sold: 'soldTimestamp' },
    }),
  numbers,
  times,
  dates: 'month-first',
  zone: () => 'asked',
  row: pairOfFills,
})
