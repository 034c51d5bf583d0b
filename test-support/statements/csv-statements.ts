import { csv, encoded, type WrittenCell, xlsx } from './written-files.ts'
import {
  isNegative,
  negated,
  netOf,
  type NumberStyle,
  padded,
  plain,
  styled,
  sum,
  timed,
  type WrittenTrade,
} from './written-rows.ts'

/** Writes the CSV exports of platforms (facts/statement-formats.md, §2.3 and §4 to §7). */

type Trades = readonly WrittenTrade[]

/** An amount as futures platforms write it: `$1,234.50`, `$(400.00)`, `($75.90)`, `-$18.98`, `90,00 $`. */
export type MoneyStyle = 'plain' | '$(1.00)' | '($1.00)' | '-$1.00' | '1,00 $'

function moneyIn(style: MoneyStyle, amount: string): string {
  if (style === 'plain') return amount
  if (style === '1,00 $') return `${styled(amount, { mark: ',', thousands: '\u00A0' })} $`
  const digits = styled(isNegative(amount) ? negated(amount) : amount, { mark: '.', thousands: ',' })
  if (!isNegative(amount)) return `$${digits}`
  return { '$(1.00)': `$(${digits})`, '($1.00)': `($${digits})`, '-$1.00': `-$${digits}` }[style]
}

const isLong = ({ side }: WrittenTrade) => side === 'buy'

/** The client area of FTMO: newest first, only some cells quoted. */
export function ftmo(trades: Trades, time = 'YYYY-MM-DD HH:mm:ss'): Uint8Array {
  const header =
    'Ticket;Open;Type;Volume;Symbol;Price;SL;TP;Close;Price;Swap;Commissions;Profit;Pips;"Trade duration in seconds"'
  const rows = trades.map((trade) =>
    [
      trade.id,
      timed(trade.opened, time),
      trade.side,
      trade.volume,
      trade.symbol,
      trade.openPrice,
      '0',
      '0',
      timed(trade.closed, time),
      trade.closePrice,
      trade.swap,
      trade.commission,
      trade.profit,
      '1.5',
      '360',
    ].join(';'),
  )
  return encoded(`${[header, ...rows].join('\n')}\n`)
}

interface ExnessStyle {
  /** Older files have the currency in the headings. */
  readonly older?: boolean
  /** Times end with Z. */
  readonly zulu?: boolean
  /** The volumes that positions were opened with, by row. */
  readonly originals?: readonly string[]
}

/** Times in UTC; what is 0 is an empty cell. */
export function exness(trades: Trades, { older = false, zulu = false, originals = [] }: ExnessStyle = {}): Uint8Array {
  const ending = older ? '_usd' : ''
  const time = zulu ? 'YYYY-MM-DDTHH:mm:ss.SSSZ' : 'YYYY-MM-DDTHH:mm:ss'
  const amount = (value: string) => (Number(value) === 0 ? '' : value)
  const rows = trades.map((trade, index) => [
    trade.id,
    timed(trade.opened, time),
    timed(trade.closed, time),
    trade.side,
    trade.volume,
    originals[index] ?? trade.volume,
    trade.symbol,
    trade.openPrice,
    trade.closePrice,
    '',
    '',
    ...[trade.commission, trade.swap, trade.profit].map(amount),
    '10000.00',
    '',
    'user',
  ])
  const header = [
    'ticket',
    'opening_time_utc',
    'closing_time_utc',
    'type',
    'lots',
    'original_position_size',
    'symbol',
    'opening_price',
    'closing_price',
    'stop_loss',
    'take_profit',
    `commission${ending}`,
    `swap${ending}`,
    `profit${ending}`,
    `equity${ending}`,
    'margin_level',
    'close_reason',
  ]
  return encoded(csv([header, ...rows], { newline: '\n' }))
}

export interface CtraderStyle {
  /** As in the heading: `UTC-4`. */
  readonly zone?: string
  /** Only the columns that the trader has ticked are there. */
  readonly columns?: readonly CtraderColumn[]
  readonly date?: string
  readonly currency?: string
  readonly numbers?: NumberStyle
  readonly start?: string
  readonly spanish?: boolean
}

export type CtraderColumn =
  | 'id'
  | 'order'
  | 'symbol'
  | 'side'
  | 'closing'
  | 'opened'
  | 'closed'
  | 'entry'
  | 'exit'
  | 'quantity'
  | 'swap'
  | 'commission'
  | 'gross'
  | 'net'
  | 'balance'

const everyColumn: readonly CtraderColumn[] = [
  'id',
  'order',
  'symbol',
  'side',
  'opened',
  'closed',
  'entry',
  'exit',
  'quantity',
  'swap',
  'commission',
  'gross',
  'net',
  'balance',
]

/** A row is a closing deal. The newest stands first, and the balance runs from the last row up. */
function ctraderTable(
  trades: Trades,
  style: CtraderStyle,
): readonly { readonly heading: string; readonly cells: readonly string[]; readonly isNumber: boolean }[] {
  const { zone, columns = everyColumn, date = 'DD/MM/YYYY HH:mm:ss.SSS', currency = 'USD', start = '10000.00' } = style
  const zoned = (heading: string) => (zone === undefined ? heading : `${heading} (${zone})`)
  let balance = start
  const balances = trades.toReversed().map((trade) => (balance = sum(balance, netOf(trade))))
  const upper = (side: string) => (side === 'buy' ? 'Buy' : 'Sell')
  const all: Readonly<Record<CtraderColumn, readonly [heading: string, cells: readonly string[], isNumber?: boolean]>> =
    {
      id: ['ID', trades.map(({ id }) => `DID${id}`)],
      order: ['Order ID', trades.map(({ id }) => `OID${id}`)],
      symbol: [style.spanish === true ? 'Símbolo' : 'Symbol', trades.map(({ symbol }) => symbol)],
      side: ['Opening direction', trades.map(({ side }) => upper(side))],
      closing: ['Closing direction', trades.map(({ side }) => upper(side === 'buy' ? 'sell' : 'buy'))],
      opened: [zoned('Opening time'), trades.map(({ opened }) => timed(opened, date))],
      closed: [zoned('Closing time'), trades.map(({ closed }) => timed(closed, date))],
      entry: ['Entry price', trades.map(({ openPrice }) => openPrice), true],
      exit: ['Closing price', trades.map(({ closePrice }) => closePrice), true],
      quantity: ['Closing Quantity', trades.map(({ volume }) => volume), true],
      swap: ['Swap', trades.map(({ swap }) => swap), true],
      commission: ['Commission', trades.map(({ commission, fee }) => sum(commission, fee)), true],
      gross: [`Gross ${currency}`, trades.map(({ profit }) => profit), true],
      net: [`Net ${currency}`, trades.map(netOf), true],
      balance: [`Balance ${currency}`, balances.toReversed(), true],
    }
  return columns.map((column) => {
    const [heading, cells, isNumber = false] = all[column]
    return { heading, cells, isNumber }
  })
}

/** All cells are quoted, and quantities end with `Lots`. */
export function ctraderCsv(trades: Trades, style: CtraderStyle = {}): Uint8Array {
  const { numbers = plain } = style
  const table = ctraderTable(trades, style)
  const rows = trades.map((_, row) =>
    table.map(({ heading, cells, isNumber }) => {
      const cell = cells[row] ?? ''
      return (isNumber ? styled(cell, numbers) : cell) + (heading === 'Closing Quantity' ? ' Lots' : '')
    }),
  )
  return encoded(csv([table.map(({ heading }) => heading), ...rows], { quoted: 'all' }))
}

/** Times are text, numbers are numbers. */
export function ctraderXlsx(trades: Trades, style: CtraderStyle = {}): Uint8Array {
  const table = ctraderTable(trades, style)
  const rows = trades.map((_, row) =>
    table.map(({ cells, isNumber }): WrittenCell => {
      const cell = cells[row] ?? ''
      return isNumber ? { number: cell.includes('.') ? cell.replace(/\.?0+$/, '') : cell } : cell
    }),
  )
  return xlsx('Records', [table.map(({ heading }) => heading), ...rows])
}

interface TopstepStyle {
  readonly columns: 10 | 11 | 13
  /** The offset of each row, as `-05:00`; files with 10 columns have none. */
  readonly offsetOf?: (trade: WrittenTrade, end: 'opened' | 'closed') => string
}

/** Fees and commissions are costs without a sign; PnL is before both. */
export function topstepx(trades: Trades, { columns, offsetOf = () => '-05:00' }: TopstepStyle): Uint8Array {
  const time = (trade: WrittenTrade, end: 'opened' | 'closed') =>
    timed(trade[end], 'MM/DD/YYYY HH:mm:ss') + (columns === 10 ? '' : ` ${offsetOf(trade, end)}`)
  const header = [
    'Id',
    'ContractName',
    'EnteredAt',
    'ExitedAt',
    'EntryPrice',
    'ExitPrice',
    'Fees',
    'PnL',
    'Size',
    'Type',
    ...(columns === 10 ? [] : ['TradeDay']),
    ...(columns === 13 ? ['TradeDuration', 'Commissions'] : []),
  ]
  const rows = trades.map((trade) => [
    trade.id,
    trade.symbol,
    time(trade, 'opened'),
    time(trade, 'closed'),
    padded(trade.openPrice, 9),
    padded(trade.closePrice, 9),
    padded(negated(columns === 13 ? trade.fee : sum(trade.fee, trade.commission)), 5),
    padded(trade.profit, 9),
    trade.volume,
    isLong(trade) ? 'Long' : 'Short',
    ...(columns === 10 ? [] : [`${timed(trade.closed, 'MM/DD/YYYY')} 00:00:00 -05:00`]),
    ...(columns === 13 ? ['00:03:44.2166590', padded(negated(trade.commission), 5)] : []),
  ])
  return encoded(csv([header, ...rows]), columns === 10 ? 'utf-8' : 'utf-8-bom')
}

/** A row is a pair of fills. One that is still open has no second time. */
export function tradovatePositions(
  trades: readonly (WrittenTrade & { readonly isOpen?: boolean })[],
  { pairIds = true, money = 'plain' }: { readonly pairIds?: boolean; readonly money?: MoneyStyle } = {},
): Uint8Array {
  const time = 'MM/DD/YYYY HH:mm:ss'
  const header = [
    'Position ID',
    'Timestamp',
    'Trade Date',
    'Net Pos',
    'Net Price',
    'Bought',
    'Avg. Buy',
    'Sold',
    'Avg. Sell',
    'Account',
    'Contract',
    'Product',
    'Product Description',
    '_priceFormat',
    '_priceFormatType',
    '_tickSize',
    ...(pairIds ? ['Pair ID'] : []),
    'Buy Fill ID',
    'Sell Fill ID',
    'Paired Qty',
    'Buy Price',
    'Sell Price',
    'P/L',
    'Currency',
    'Bought Timestamp',
    'Sold Timestamp',
  ]
  const rows = trades.map((trade) => {
    const { bought, sold } = sidesOf(trade)
    const isOpen = trade.isOpen === true
    return [
      '880001',
      timed(bought.at, time),
      timed(trade.closed, 'YYYY-MM-DD'),
      '0',
      '',
      trade.volume,
      bought.price,
      trade.volume,
      sold.price,
      trade.login,
      trade.symbol,
      trade.symbol.slice(0, -2),
      'E-mini',
      '-2',
      '0',
      '0.25',
      ...(pairIds ? [trade.id] : []),
      bought.fill,
      isOpen ? '' : sold.fill,
      trade.volume,
      bought.price,
      isOpen ? '' : sold.price,
      isOpen ? '' : moneyIn(money, trade.profit),
      'USD',
      timed(bought.at, time),
      isOpen ? '' : timed(sold.at, time),
    ]
  })
  return encoded(csv([header, ...rows]))
}

/** The fills of a trade: a short one is sold before it is bought. */
export function sidesOf(trade: WrittenTrade) {
  const first = { at: trade.opened, price: trade.openPrice, fill: `${trade.id}1` }
  const second = { at: trade.closed, price: trade.closePrice, fill: `${trade.id}2` }
  return isLong(trade) ? { bought: first, sold: second } : { bought: second, sold: first }
}

export function tradovatePerformance(
  trades: Trades,
  { money = '$(1.00)', quoted = 'needed' }: { readonly money?: MoneyStyle; readonly quoted?: 'needed' | 'never' } = {},
): Uint8Array {
  const time = 'MM/DD/YYYY HH:mm:ss'
  const header = [
    'symbol',
    '_priceFormat',
    '_priceFormatType',
    '_tickSize',
    'buyFillId',
    'sellFillId',
    'qty',
    'buyPrice',
    'sellPrice',
    'pnl',
    'boughtTimestamp',
    'soldTimestamp',
    'duration',
  ]
  const rows = trades.map((trade) => {
    const { bought, sold } = sidesOf(trade)
    return [
      trade.symbol,
      '-2',
      '0',
      '0.25',
      bought.fill,
      sold.fill,
      trade.volume,
      bought.price,
      sold.price,
      moneyIn(money, trade.profit),
      timed(bought.at, time),
      timed(sold.at, time),
      '18h 28min 55sec',
    ]
  })
  return encoded(csv([header, ...rows], { quoted, newline: '\n' }))
}

interface NinjaStyle {
  readonly money?: MoneyStyle
  readonly time?: string
  readonly delimiter?: string
  /** Profit is after costs in some versions, before them in others. "Cum. net profit" shows which. */
  readonly isNet?: boolean
  /** The columns of exchanges' fees stand beside the commission. */
  readonly withFees?: boolean
}

/** A delimiter ends each line. Costs have no sign. */
export function ninjatrader(trades: Trades, style: NinjaStyle = {}): Uint8Array {
  const { money = '($1.00)', time = 'M/D/YYYY h:mm:ss A', delimiter = ',', isNet = false, withFees = false } = style
  const header = [
    'Trade number',
    'Instrument',
    'Account',
    'Strategy',
    'Market pos.',
    'Qty',
    'Entry price',
    'Exit price',
    'Entry time',
    'Exit time',
    'Entry name',
    'Exit name',
    'Profit',
    'Cum. net profit',
    'Commission',
    ...(withFees ? ['Clearing Fee', 'Exchange Fee', 'IP Fee', 'NFA Fee'] : []),
    'MAE',
    'MFE',
    'ETD',
    'Bars',
    '',
  ]
  const price = (value: string) => (money === '1,00 $' ? value.replace('.', ',') : value)
  const amount = (value: string) => moneyIn(money, value)
  let cumulated = '0.00'
  const rows = trades.map((trade, index) => {
    const costs = sum(trade.commission, trade.fee)
    const net = sum(trade.profit, costs)
    cumulated = sum(cumulated, net)
    return [
      String(index + 1),
      trade.symbol,
      trade.login,
      '',
      isLong(trade) ? 'Long' : 'Short',
      price(trade.volume),
      price(trade.openPrice),
      price(trade.closePrice),
      timed(trade.opened, time),
      timed(trade.closed, time),
      'Entry',
      'Exit',
      amount(isNet ? net : trade.profit),
      amount(cumulated),
      amount(negated(withFees ? trade.commission : costs)),
      ...(withFees ? ['0.00', negated(trade.fee), '0.00', '0.00'].map(amount) : []),
      amount('12.50'),
      amount('25.00'),
      amount('5.00'),
      '4',
      '',
    ]
  })
  return encoded(csv([header, ...rows], { delimiter }))
}

/** Times in UTC; the commission is a cost without a sign. */
export function matchTrader(
  trades: Trades,
  { delimiter = ',', time = 'YYYY-MM-DD HH:mm:ss' }: { readonly delimiter?: string; readonly time?: string } = {},
): Uint8Array {
  const header = [
    'ID',
    'Symbol',
    'Side',
    'Open Time',
    'Close Time',
    'Volume',
    'Open Price',
    'Close Price',
    'Stop Loss',
    'Take Profit',
    'Commission',
    'Swap',
    'Profit',
  ]
  const rows = trades.map((trade) => [
    trade.id,
    trade.symbol,
    trade.side.toUpperCase(),
    timed(trade.opened, time),
    timed(trade.closed, time),
    trade.volume,
    trade.openPrice,
    trade.closePrice,
    '',
    '',
    negated(trade.commission),
    trade.swap,
    trade.profit,
  ])
  return encoded(csv([header, ...rows], { delimiter }))
}

/** A row is a fill: an opening one before each closing one. */
export function dxtrade(
  trades: Trades,
  { time = 'DD/MM/YY HH:mm', codes = true }: { readonly time?: string; readonly codes?: boolean } = {},
): Uint8Array {
  const header = [
    'Date and Time',
    'Symbol',
    'Order ID',
    ...(codes ? ['Trade Code'] : []),
    'Side',
    'Position effect',
    'Trade Volume',
    'Trade Price',
    'Commission',
    'Closed P&L',
    'Net Closed P&L',
  ]
  const rows = trades.flatMap((trade) => {
    const [opens, closes] = isLong(trade) ? ['Buy', 'Sell'] : ['Sell', 'Buy']
    const code = (value: string) => (codes ? [value] : [])
    return [
      [
        timed(trade.opened, time),
        trade.symbol,
        `${trade.id}1`,
        ...code(`${trade.id}:1`),
        opens,
        'Opening',
        trade.volume,
        trade.openPrice,
        '0',
        '',
        '',
      ],
      [
        timed(trade.closed, time),
        trade.symbol,
        `${trade.id}2`,
        ...code(`${trade.id}:2`),
        closes,
        'Closing',
        trade.volume,
        trade.closePrice,
        trade.commission,
        trade.profit,
        sum(trade.profit, trade.commission),
      ],
    ]
  })
  return encoded(csv([header, ...rows], { newline: '\n' }))
}
