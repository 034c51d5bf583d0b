import { columnsOf } from '../headings.ts'
import { skippedRow, tradeRow } from '../row-cells.ts'
import { tableFormat } from '../table-format.ts'
import { UnreadableCell } from '../unreadable-statement.ts'

const headings = {
  ...{ time: ['Date and Time', 'Date/Time'], symbol: 'Symbol', side: 'Side', effect: 'Position effect' },
  ...{ volume: 'Trade Volume', price: 'Trade Price', profit: 'Net Closed P&L' },
} as const

/** The fills of DXtrade. A closing one is a trade of the other side, of which the file does not have the opening. */
export const dxtrade = tableFormat({
  id: 'dxtrade',
  again: 'told',
  kinds: ['csv'],
  columns: (cells) => {
    const found = columnsOf(cells, headings, { code: 'Trade Code', order: 'Order ID' })
    return found && (found.code !== undefined || found.order !== undefined) ? found : null
  },
  numbers: ['volume', 'price', 'profit'],
  times: ['time'],
  zone: () => 'asked',
  row: (cells) => {
    const effect = cells.text('effect').toLowerCase()
    if (effect === 'opening') return skippedRow(cells.row, 'an opening fill')
    if (effect !== 'closing') throw new UnreadableCell(`"${cells.text('effect')}" is no effect of a fill`)
    return tradeRow(cells.row, {
      login: null,
      id: cells.text('code') || cells.text('order'),
      symbol: cells.text('symbol'),
      side: cells.side('side') === 'buy' ? 'sell' : 'buy',
      volume: cells.volume('volume'),
      opened: null,
      closed: cells.time('time'),
      openPrice: null,
      closePrice: cells.price('price'),
      net: [cells.amount('profit')],
    })
  },
})
