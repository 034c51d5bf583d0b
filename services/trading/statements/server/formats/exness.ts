import { columnsOf } from '../headings.ts'
import { positionIn, tradeRow } from '../row-cells.ts'
import { tableFormat } from '../table-format.ts'

/** Older files have the currency in these headings: `profit_usd`. */
const amounts = {
  commission: /^commission(?:_[a-z]{3})?$/i,
  swap: /^swap(?:_[a-z]{3})?$/i,
  profit: /^profit(?:_[a-z]{3})?$/i,
}

const headings = {
  ...{ id: 'ticket', opened: 'opening_time_utc', closed: 'closing_time_utc', side: 'type', volume: 'lots' },
  ...{ symbol: 'symbol', openPrice: 'opening_price', closePrice: 'closing_price' },
} as const

/** The history of Exness's client area. A position that is closed in parts has one ticket in several rows. */
export const exness = tableFormat({
  id: 'exness',
  again: 'steps',
  kinds: ['csv'],
  columns: (cells) => {
    const found = columnsOf(cells, headings)
    const place = (heading: RegExp) => cells.findIndex((cell) => heading.test(cell.trim()))
    const places = { commission: place(amounts.commission), swap: place(amounts.swap), profit: place(amounts.profit) }
    return found && !Object.values(places).includes(-1) ? { ...found, ...places } : null
  },
  numbers: ['volume', 'openPrice', 'closePrice', 'swap', 'commission', 'profit'],
  times: ['opened', 'closed'],
  dates: 'year-first',
  zone: () => 'UTC',
  account: ({ headings: cells }) => {
    const [, currency] = cells.map((cell) => /^profit_([a-z]{3})$/i.exec(cell.trim())).find(Boolean) ?? []
    return { login: null, currency: currency?.toUpperCase() ?? null, server: null }
  },
  row: (cells) =>
    tradeRow(cells.row, {
      ...positionIn(cells),
      net: [cells.amountOrZero('profit'), cells.amountOrZero('commission'), cells.amountOrZero('swap')],
    }),
})
