import { csv, encoded, type WrittenEncoding } from './written-files.ts'
import { type NumberStyle, plain, styled, sum, timed, type WrittenEntry, type WrittenTrade } from './written-rows.ts'

/** Writes reports of the manager of MetaTrader 5 with many logins (facts/statement-formats.md, §3.4). */

/** The end of a login's day. */
export interface WrittenDay {
  readonly login: string
  readonly name: string
  readonly at: string
  readonly previous: string
  readonly deposit: string
  readonly closed: string
  readonly credit: string
  readonly floating: string
  readonly margin: string
}

interface ManagerStyle {
  readonly delimiter?: string
  readonly numbers?: NumberStyle
  readonly encoding?: WrittenEncoding
  /** Reports have a title, and some the period, above the columns. */
  readonly title?: readonly string[]
  readonly time?: string
}

const TIME = 'YYYY.MM.DD HH:mm:ss'

/** What a day comes to: its balance and equity are derived. */
export function endOf({ previous, deposit, closed, credit, floating }: WrittenDay) {
  const balance = sum(previous, deposit, closed)
  return { balance, equity: sum(balance, credit, floating) }
}

function report(style: ManagerStyle, columns: readonly string[], rows: readonly (readonly string[])[]): Uint8Array {
  const { delimiter = ';', encoding = 'utf-8', title = [] } = style
  return encoded(csv([...title.map((line) => [line]), columns, ...rows], { delimiter }), encoding)
}

export function managerDaily(days: readonly WrittenDay[], style: ManagerStyle = {}): Uint8Array {
  const { numbers = plain, time = TIME } = style
  return report(
    { title: ['Daily Report'], ...style },
    [
      'Time',
      'Login',
      'Name',
      'Prev Balance',
      'Deposit',
      'Closed P/L',
      'Balance',
      'Credit',
      'Floating P/L',
      'Equity',
      'Margin',
      'Free Margin',
      'Currency',
    ],
    days.map((day) => {
      const { balance, equity } = endOf(day)
      const amounts = [
        day.previous,
        day.deposit,
        day.closed,
        balance,
        day.credit,
        day.floating,
        equity,
        day.margin,
        sum(equity, `-${day.margin}`),
      ]
      return [timed(day.at, time), day.login, day.name, ...amounts.map((amount) => styled(amount, numbers)), 'USD']
    }),
  )
}

export function managerPositions(
  trades: readonly (WrittenTrade & { readonly closeVolume?: string })[],
  style: ManagerStyle = {},
): Uint8Array {
  const { numbers = plain, time = TIME } = style
  const number = (value: string) => styled(value, numbers)
  return report(
    { title: ['Positions History Report', '2026.11.01 - 2026.11.30'], ...style },
    [
      'Login',
      'Name',
      'Time',
      'Ticket',
      'Type',
      'Volume',
      'Symbol',
      'Price',
      'S / L',
      'T / P',
      'Close Time',
      'Close Price',
      'Reason',
      'Commission',
      'Fee',
      'Swap',
      'Profit',
      'Currency',
      'Comment',
      'Close Volume',
    ],
    trades.map((trade) => [
      trade.login,
      'Ada Example',
      timed(trade.opened, time),
      trade.id,
      trade.side,
      number(trade.volume),
      trade.symbol,
      number(trade.openPrice),
      '',
      '',
      timed(trade.closed, time),
      number(trade.closePrice),
      'Client',
      ...[trade.commission, trade.fee, trade.swap, trade.profit].map(number),
      'USD',
      '',
      trade.closeVolume === undefined ? '' : number(trade.closeVolume),
    ]),
  )
}

/** Ledger rows and fills, with a last row of sums. */
export function managerDeals(
  entries: readonly WrittenEntry[],
  fills: readonly WrittenTrade[],
  style: ManagerStyle = {},
): Uint8Array {
  const { numbers = plain, time = TIME } = style
  const number = (value: string) => styled(value, numbers)
  const rows = [
    ...entries.map((entry) => ({
      at: entry.at,
      cells: [
        entry.id,
        '',
        '',
        '',
        entry.login,
        'Ada Example',
        timed(entry.at, time),
        entry.type,
        '',
        '',
        '',
        '',
        '',
        '',
        'Dealer',
      ],
      money: ['0.00', '0.00', '0.00', entry.amount],
      comment: entry.comment,
    })),
    ...fills.map((fill) => ({
      at: fill.closed,
      cells: [
        `${fill.id}8`,
        '',
        `${fill.id}9`,
        fill.id,
        fill.login,
        'Ada Example',
        timed(fill.closed, time),
        fill.side === 'buy' ? 'sell' : 'buy',
        'out',
        fill.symbol,
        number(fill.volume),
        number(fill.closePrice),
        '',
        '',
        'Client',
      ],
      money: [fill.commission, fill.fee, fill.swap, fill.profit],
      comment: '',
    })),
  ].toSorted((one, other) => (one.at < other.at ? -1 : 1))
  const totals = [0, 1, 2, 3].map((column) => sum('0.00', ...rows.map(({ money }) => money[column] ?? '0.00')))
  return report(
    { title: ['Deals History Report'], ...style },
    [
      'Deal',
      'ID',
      'Order',
      'Position',
      'Login',
      'Name',
      'Time',
      'Type',
      'Entry',
      'Symbol',
      'Volume',
      'Price',
      'S / L',
      'T / P',
      'Reason',
      'Commission',
      'Fee',
      'Swap',
      'Profit',
      'Dealer',
      'Currency',
      'Comment',
    ],
    [
      ...rows.map(({ cells, money, comment }) => [...cells, ...money.map(number), '', 'USD', comment]),
      ['Total', ...Array.from({ length: 14 }, () => ''), ...totals.map(number), '', 'USD', ''],
    ],
  )
}
