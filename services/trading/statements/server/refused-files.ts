import { isBacktest } from './metatrader-head.ts'
import type { Source } from './sources/source.ts'

/** A kind of file that is no statement of trades, and what to export instead. */
export interface RefusedFile {
  readonly advice: string
  isThis(source: Source): boolean
}

/** The headings stand in one of so many rows. */
const ROWS_TO_HEADINGS = 100

/** Whether one of the first rows has all these headings, and none of the others. */
function hasHeadings({ rows }: Source, headings: readonly string[], without: readonly RegExp[] = []): boolean {
  return rows.slice(0, ROWS_TO_HEADINGS).some(({ cells }) => {
    const names = cells.map((cell) => cell.trim().replaceAll(/\s+/g, ' ').toLowerCase())
    const hasAll = headings.every((heading) => names.includes(heading))
    return hasAll && !names.some((name) => without.some((pattern) => pattern.test(name)))
  })
}

export const refusedFiles: readonly RefusedFile[] = [
  {
    advice: "This is a backtest: please export the report of the account's history.",
    isThis: isBacktest,
  },
  {
    advice: 'This FTMO file was keyed anew and has no dates: please export the trades in the client area.',
    isThis: (source) => hasHeadings(source, ['ticket', 'open price'], [/date|time/, /^open$/]),
  },
  {
    advice: 'These are the orders of Tradovate: please export "Position History" or "Performance" instead.',
    isThis: (source) => hasHeadings(source, ['orderid', 'b/s', 'contract', 'fill time']),
  },
  {
    advice:
      'These are the orders of Rithmic, without results: please use the statement of the clearing broker or the firm.',
    isThis: (source) =>
      hasHeadings(source, ['account', 'buy/sell', 'qty to fill']) || hasHeadings(source, ['completed orders']),
  },
  {
    advice: 'These are the executions of NinjaTrader: please export the "Trades" instead.',
    isThis: (source) => hasHeadings(source, ['instrument', 'action', 'quantity', 'price', 'time', 'e/x', 'position']),
  },
  {
    advice: 'These are the orders of TopstepX: please export the "Trades" instead.',
    isThis: (source) => hasHeadings(source, ['contractname', 'executeprice', 'filledat', 'positiondisposition']),
  },
  {
    advice: "This is a backtest of cTrader: please export the account's history.",
    isThis: (source) => hasHeadings(source, ['order id', 'position id', 'event'], [/^net /]),
  },
  {
    advice: 'These are the open positions of Exness: please export the closed ones.',
    isThis: (source) => hasHeadings(source, ['ticket', 'opening_time_utc', 'type', 'symbol'], [/^closing_/]),
  },
]
