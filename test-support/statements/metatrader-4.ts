import { encoded, escaped, type WrittenEncoding } from './written-files.ts'
import { isNegative, netOf, negated, styled, sum, timed, type WrittenEntry, type WrittenTrade } from './written-rows.ts'

/** Writes statements as the terminal of MetaTrader 4 saves them (facts/statement-formats.md, §2.1). */

/** A pending order that was cancelled: it stands among the closed trades. */
export interface CancelledOrder {
  readonly id: string
  readonly type: 'buy limit' | 'sell limit' | 'buy stop' | 'sell stop'
  readonly volume: string
  readonly symbol: string
  readonly price: string
  readonly opened: string
  readonly closed: string
}

export interface Mt4Statement {
  readonly login: string
  readonly name: string
  readonly company: string
  readonly currency: string
  /** When the report was written: `2024 March 8, 18:30`. */
  readonly date: string
  readonly rows: readonly (WrittenTrade | WrittenEntry | CancelledOrder)[]
  /** The result of open trades. */
  readonly floating?: string
  readonly margin?: string
  /** DetailedStatement.htm has figures after the summary. */
  readonly detailed?: boolean
  readonly language?: keyof typeof words
  readonly encoding?: WrittenEncoding
  /** The words of the `title` of a ticket's cell, as `from #1`. */
  readonly comments?: Readonly<Record<string, string>>
}

const english = {
  account: 'Account',
  name: 'Name',
  currency: 'Currency',
  leverage: 'Leverage',
  closed: 'Closed Transactions:',
  open: 'Open Trades:',
  working: 'Working Orders:',
  summary: 'Summary:',
  none: 'No transactions',
  closedResult: 'Closed P/L:',
  floating: 'Floating P/L:',
  columns: [
    'Ticket',
    'Open Time',
    'Type',
    'Size',
    'Item',
    'Price',
    'S / L',
    'T / P',
    'Close Time',
    'Price',
    'Commission',
    'Taxes',
    'Swap',
    'Profit',
  ],
  deposits: 'Deposit/Withdrawal:',
  credit: 'Credit Facility:',
  closedTrades: 'Closed Trade P/L:',
  margin: 'Margin:',
  balance: 'Balance:',
  equity: 'Equity:',
  freeMargin: 'Free Margin:',
  details: 'Details:',
  grossProfit: 'Gross Profit:',
  grossLoss: 'Gross Loss:',
  netProfit: 'Total Net Profit:',
}

const words: Readonly<Record<'en' | 'ru', typeof english>> = {
  en: english,
  ru: {
    account: 'Счет',
    name: 'Имя',
    currency: 'Валюта',
    leverage: 'Плечо',
    closed: 'Закрытые транзакции:',
    open: 'Открытые позиции:',
    working: 'Отложенные ордера:',
    summary: 'Итоги:',
    none: 'Нет транзакций',
    closedResult: 'Закрытая П/У:',
    floating: 'Плавающая П/У:',
    columns: [
      'Тикет',
      'Время откр.',
      'Тип',
      'Объем',
      'Символ',
      'Цена',
      'S / L',
      'T / P',
      'Время закр.',
      'Цена',
      'Комиссия',
      'Налоги',
      'Своп',
      'Прибыль',
    ],
    deposits: 'Депозит/Снятие:',
    credit: 'Кредит:',
    closedTrades: 'Закрытые сделки П/У:',
    margin: 'Залог:',
    balance: 'Баланс:',
    equity: 'Средства:',
    freeMargin: 'Свободно:',
    details: 'Подробно:',
    grossProfit: 'Общая прибыль:',
    grossLoss: 'Общий убыток:',
    netProfit: 'Чистая прибыль:',
  },
}

const TIME = 'YYYY.MM.DD HH:mm:ss'
const money = (amount: string) => styled(amount, { mark: '.', thousands: ' ' })

export function mt4Statement(statement: Mt4Statement): Uint8Array {
  const { rows, floating = '0.00', margin = '0.00', detailed = false, encoding = 'windows-1252' } = statement
  const text = words[statement.language ?? 'en']
  const trades = rows.filter((row) => 'side' in row)
  const entries = rows.filter((row) => 'amount' in row)
  const total = (amounts: readonly string[]) => money(sum('0.00', ...amounts))
  const closedResult = sum('0.00', ...trades.map(netOf))
  const deposits = sum('0.00', ...entries.filter(({ type }) => type === 'balance').map(({ amount }) => amount))
  const credit = sum('0.00', ...entries.filter(({ type }) => type === 'credit').map(({ amount }) => amount))
  const balance = sum(deposits, closedResult)
  const equity = sum(balance, credit, floating)
  const gross = (isLoss: boolean) => sum('0.00', ...trades.map(netOf).filter((net) => isNegative(net) === isLoss))
  const figure = (amount: string) => `<td colspan=2 class=mspt><b>${money(amount)}</b></td>`
  const header = (columns: readonly string[]) =>
    `<tr align=center bgcolor="#C0C0C0">\n   ${columns.map((column) => `<td nowrap>${column}</td>`).join('')}</tr>`
  const details = [
    `<tr align=left><td colspan=14><b>${text.details}</b></td></tr>`,
    `<tr align=right>\n    <td colspan=2><b>${text.grossProfit}</b></td>\n    ${figure(gross(false))}\n    <td colspan=4><b>${text.grossLoss}</b></td>\n    <td class=mspt><b>${money(negated(gross(true)))}</b></td>\n    <td colspan=3><b>${text.netProfit}</b></td>\n    ${figure(closedResult)}</tr>`,
  ]
  const lines = [
    '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01//EN" "http://www.w3.org/TR/html4/strict.dtd">',
    '<html>',
    '  <head>',
    `    <title>Statement: ${statement.login} - ${escaped(statement.name)}</title>`,
    '    <meta name="generator" content="MetaQuotes Software Corp.">',
    '    <link rel="help" href="http://www.metaquotes.net">',
    '    <style type="text/css" media="screen">',
    '    <!--',
    '    td { font: 8pt Tahoma,Arial; }',
    '    .mspt { mso-number-format:"\\#\\,\\#\\#0\\.00"; }',
    '    //-->',
    '    </style>',
    '  </head>',
    '<body topmargin=1 marginheight=1>',
    '<div align=center>',
    `<div style="font: 20pt Times New Roman"><b>${escaped(statement.company)}</b></div><br>`,
    '<table cellspacing=1 cellpadding=3 border=0>',
    `<tr align=left>\n    <td colspan=2><b>${text.account}: ${statement.login}</b></td>\n    <td colspan=5><b>${text.name}: ${escaped(statement.name)}</b></td>\n    <td colspan=2><b>${text.currency}: ${statement.currency}</b></td>\n    <td colspan=2><b>${text.leverage}: 1:100</b></td>\n    <td colspan=3 align=right><b>${statement.date}</b></td></tr>`,
    `<tr align=left><td colspan=13><b>${text.closed}</b></td></tr>`,
    header(text.columns),
    ...rows.map((row, index) => mt4Row(row, index, statement.comments?.[row.id] ?? '')),
    `<tr align=right>\n    <td colspan=10>&nbsp;</td>\n    <td class=mspt>${total(trades.map(({ commission }) => commission))}</td>\n    <td class=mspt>${total(trades.map(({ fee }) => fee))}</td>\n    <td class=mspt>${total(trades.map(({ swap }) => swap))}</td>\n    <td class=mspt>${total(trades.map(({ profit }) => profit))}</td></tr>`,
    `<tr align=right>\n    <td colspan=12 align=right><b>${text.closedResult}</b></td>\n    <td colspan=2 align=right class=mspt title="Commission + Swap + Profit + Taxes"><b>${money(closedResult)}</b></td></tr>`,
    `<tr align=left><td colspan=13><b>${text.open}</b></td></tr>`,
    header(text.columns.with(8, '&nbsp;')),
    `<tr align=right><td colspan=13 align=center>${text.none}</td></tr>`,
    `<tr align=right>\n    <td colspan=10>&nbsp;</td>\n    <td class=mspt>0.00</td><td class=mspt>0.00</td><td class=mspt>0.00</td><td class=mspt>${money(floating)}</td></tr>`,
    `<tr align=right>\n    <td colspan=10>&nbsp;</td>\n    <td colspan=2 align=right><b>${text.floating}</b></td>\n    <td colspan=2 align=right class=mspt><b>${money(floating)}</b></td></tr>`,
    `<tr align=left><td colspan=13><b>${text.working}</b></td></tr>`,
    header([...text.columns.slice(0, 8), '&nbsp;', '&nbsp;']),
    `<tr align=right><td colspan=13 align=center>${text.none}</td></tr>`,
    '<tr><td colspan=13 style="font: 1pt arial">&nbsp;</td></tr>',
    `<tr align=left><td colspan=13><b>${text.summary}</b></td></tr>`,
    `<tr align=right>\n    <td colspan=2><b>${text.deposits}</b></td>\n    ${figure(deposits)}\n    <td colspan=4><b>${text.credit}</b></td>\n    <td class=mspt><b>${money(credit)}</b></td>\n    <td colspan=5>&nbsp;</td></tr>`,
    `<tr align=right>\n    <td colspan=2><b>${text.closedTrades}</b></td>\n    ${figure(closedResult)}\n    <td colspan=4><b>${text.floating}</b></td>\n    <td class=mspt><b>${money(floating)}</b></td>\n    <td colspan=3><b>${text.margin}</b></td>\n    ${figure(margin)}</tr>`,
    `<tr align=right>\n    <td colspan=2><b>${text.balance}</b></td>\n    ${figure(balance)}\n    <td colspan=4><b>${text.equity}</b></td>\n    <td class=mspt><b>${money(equity)}</b></td>\n    <td colspan=3><b>${text.freeMargin}</b></td>\n    ${figure(sum(equity, negated(margin)))}</tr>`,
    ...(detailed ? details : []),
    '</table>',
    '</div></body></html>',
  ]
  return encoded(`${lines.join('\r\n')}\r\n`, encoding)
}

function mt4Row(row: WrittenTrade | WrittenEntry | CancelledOrder, index: number, comment: string): string {
  const start = `<tr${index % 2 === 0 ? '' : ' bgcolor=#E0E0E0'} align=right><td title="${escaped(comment)}">${row.id}</td>`
  const time = (at: string) => `<td class=msdate nowrap>${timed(at, TIME)}</td>`
  if ('amount' in row)
    return `${start}${time(row.at)}<td>${row.type}</td><td colspan=10 align=left>${escaped(row.comment)}</td><td class=mspt>${money(row.amount)}</td></tr>`
  const cells = (values: readonly string[]) => values.map((value) => `<td class=mspt>${value}</td>`).join('')
  if ('price' in row)
    return `${start}${time(row.opened)}<td>${row.type}</td>${cells([row.volume, escaped(row.symbol), row.price, '0.00000', '0.00000'])}${time(row.closed)}<td>${row.price}</td><td colspan=4>cancelled</td></tr>`
  const { commission, fee, swap, profit } = row
  return `${start}${time(row.opened)}<td>${row.side}</td>${cells([row.volume, escaped(row.symbol), row.openPrice, '0.00000', '0.00000'])}${time(row.closed)}<td>${row.closePrice}</td>${cells([commission, fee, swap, profit].map(money))}</tr>`
}
