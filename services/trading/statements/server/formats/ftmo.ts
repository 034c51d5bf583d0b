import { columnsOf } from '../headings.ts'
import { positionIn, tradeRow } from '../row-cells.ts'
import { tableFormat } from '../table-format.ts'

const headings = {
  ...{ id: 'Ticket', opened: 'Open', side: 'Type', volume: 'Volume', symbol: 'Symbol', openPrice: 'Price (1)' },
  ...{ closed: 'Close', closePrice: 'Price (2)', swap: 'Swap', commission: ['Commissions', 'Commission'] },
  profit: 'Profit',
} as const

/** The columns in the language of the client area: the same places. */
const places = {
  ...{ id: 0, opened: 1, side: 2, volume: 3, symbol: 4, openPrice: 5, closed: 8, closePrice: 9, swap: 10 },
  ...{ commission: 11, profit: 12 },
}
const TIME = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/

/** The export of FTMO's client area, semicolons, the newest first. */
export const ftmo = tableFormat({
  id: 'ftmo',
  again: 'told',
  kinds: ['csv'],
  columns: (cells, first) => {
    const found = columnsOf(cells, headings)
    if (found) return found
    const isTranslated =
      cells.length === 15 &&
      TIME.test(first[1] ?? '') &&
      TIME.test(first[8] ?? '') &&
      /^(?:buy|sell)$/i.test(first[2] ?? '') &&
      !/\d/.test(cells.join(''))
    return isTranslated ? places : null
  },
  numbers: ['volume', 'openPrice', 'closePrice', 'swap', 'commission', 'profit'],
  times: ['opened', 'closed'],
  dates: 'year-first',
  zone: () => 'asked',
  row: (cells) =>
    tradeRow(cells.row, {
      ...positionIn(cells),
      net: [cells.amount('profit'), cells.amount('swap'), cells.amount('commission')],
    }),
})
