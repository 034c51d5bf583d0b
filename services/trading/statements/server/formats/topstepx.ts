import { columnsOf } from '../headings.ts'
import { positionIn, tradeRow } from '../row-cells.ts'
import { tableFormat } from '../table-format.ts'
import { negated } from '../values/decimal.ts'

const headings = {
  ...{ id: 'Id', symbol: 'ContractName', opened: 'EnteredAt', closed: 'ExitedAt', openPrice: 'EntryPrice' },
  ...{ closePrice: 'ExitPrice', fees: 'Fees', profit: 'PnL', volume: 'Size', side: 'Type' },
} as const

const OFFSET = /(?:[+-]\d{2}:?\d{2}|Z)\s*$/i

/** The trades of TopstepX, and of other firms on ProjectX. The result is before fees and commissions, which have no sign. */
export const topstepx = tableFormat({
  id: 'topstepx',
  again: 'told',
  kinds: ['csv'],
  columns: (cells) => columnsOf(cells, headings, { commissions: 'Commissions' }),
  numbers: ['volume', 'openPrice', 'closePrice', 'fees', 'profit', 'commissions'],
  times: ['opened', 'closed'],
  dates: 'month-first',
  zone: ({ rows, columns }) =>
    rows.some(({ cells }) => [columns.opened, columns.closed].some((place) => OFFSET.test(cells[place ?? -1] ?? '')))
      ? 'rows'
      : 'asked',
  row: (cells) =>
    tradeRow(cells.row, {
      ...positionIn(cells, { buy: 'long', sell: 'short' }),
      net: [cells.amount('profit'), negated(cells.amount('fees')), negated(cells.amount('commissions'))],
    }),
})
