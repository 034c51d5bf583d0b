import { columnsOf } from '../headings.ts'
import { positionIn, tradeRow } from '../row-cells.ts'
import { tableFormat } from '../table-format.ts'
import { negated } from '../values/decimal.ts'

const headings = {
  ...{ id: 'ID', symbol: 'Symbol', side: 'Side', opened: 'Open Time', closed: 'Close Time', volume: 'Volume' },
  ...{ openPrice: 'Open Price', closePrice: 'Close Price', commission: 'Commission', swap: 'Swap', profit: 'Profit' },
} as const

/** The closed positions of Match-Trader. A commission always is a cost, whatever its sign. */
export const matchTrader = tableFormat({
  id: 'match-trader',
  again: 'steps',
  kinds: ['csv'],
  columns: (cells) => columnsOf(cells, headings),
  numbers: ['volume', 'openPrice', 'closePrice', 'commission', 'swap', 'profit'],
  times: ['opened', 'closed'],
  dates: 'year-first',
  zone: () => 'UTC',
  row: (cells) => {
    const commission = cells.amount('commission')
    return tradeRow(cells.row, {
      ...positionIn(cells),
      net: [cells.amount('profit'), cells.amount('swap'), commission.units < 0n ? commission : negated(commission)],
    })
  },
})
