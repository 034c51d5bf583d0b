import { encoded, escaped, type WrittenCell, type WrittenEncoding, xlsx } from './written-files.ts'
import { isNegative, netOf, negated, styled, sum, timed, type WrittenEntry, type WrittenTrade } from './written-rows.ts'

/** Writes reports as the terminal of MetaTrader 5 saves them, HTML and XLSX (facts/statement-formats.md, §3.1, §3.2). */

/** A row of Deals. Ledger rows have no symbol, direction, volume, price and order. */
export interface Mt5Deal {
  readonly at: string
  readonly id: string
  readonly symbol: string
  readonly type: string
  readonly direction: '' | 'in' | 'out' | 'in/out' | 'out by'
  readonly volume: string
  readonly price: string
  readonly order: string
  readonly commission: string
  readonly fee: string
  readonly swap: string
  readonly profit: string
  readonly comment: string
}

export interface Mt5Report {
  readonly login: string
  readonly name: string
  readonly company: string
  readonly currency: string
  readonly server: string
  /** When the report was written, on the server's clock. */
  readonly date: string
  readonly positions: readonly WrittenTrade[]
  /** In the order of the file; {@link dealsOf} makes those of plain positions. */
  readonly deals: readonly Mt5Deal[]
  readonly openPositions?: readonly (WrittenTrade & { readonly marketPrice: string })[]
  readonly language?: keyof typeof languages
  readonly encoding?: WrittenEncoding
  /** Some brokers write the leverage before the server. */
  readonly leverageFirst?: boolean
  readonly margin?: string
}

const english = {
  title: 'Trade History Report',
  head: ['Name:', 'Account:', 'Company:', 'Date:'],
  positions: 'Positions',
  orders: 'Orders',
  deals: 'Deals',
  open: 'Open Positions',
  positionColumns: [
    'Time',
    'Position',
    'Symbol',
    'Type',
    'Volume',
    'Price',
    'S / L',
    'T / P',
    'Time',
    'Price',
    'Commission',
    'Swap',
    'Profit',
  ],
  orderColumns: [
    'Open Time',
    'Order',
    'Symbol',
    'Type',
    'Volume',
    'Price',
    'S / L',
    'T / P',
    'Time',
    'State',
    'Comment',
  ],
  dealColumns: [
    'Time',
    'Deal',
    'Symbol',
    'Type',
    'Direction',
    'Volume',
    'Price',
    'Order',
    'Cost',
    'Commission',
    'Fee',
    'Swap',
    'Profit',
    'Balance',
    'Comment',
  ],
  openColumns: [
    'Time',
    'Position',
    'Symbol',
    'Type',
    'Volume',
    'Price',
    'S / L',
    'T / P',
    'Market Price',
    'Swap',
    'Profit',
    'Comment',
  ],
  balance: 'Balance:',
  credit: 'Credit Facility:',
  floating: 'Floating P/L:',
  equity: 'Equity:',
  freeMargin: 'Free Margin:',
  margin: 'Margin:',
  results: 'Results',
  netProfit: 'Total Net Profit:',
  grossProfit: 'Gross Profit:',
  grossLoss: 'Gross Loss:',
  trades: 'Total Trades:',
  short: 'Short Trades (won %):',
  long: 'Long Trades (won %):',
}

const russian: typeof english = {
  title: 'Отчет торговой истории',
  head: ['Имя:', 'Счет:', 'Компания:', 'Дата:'],
  positions: 'Позиции',
  orders: 'Ордера',
  deals: 'Сделки',
  open: 'Открытые позиции',
  positionColumns: [
    'Время',
    'Позиция',
    'Символ',
    'Тип',
    'Объем',
    'Цена',
    'S / L',
    'T / P',
    'Время',
    'Цена',
    'Комиссия',
    'Своп',
    'Прибыль',
  ],
  orderColumns: [
    'Время открытия',
    'Ордер',
    'Символ',
    'Тип',
    'Объем',
    'Цена',
    'S / L',
    'T / P',
    'Время',
    'Состояние',
    'Комментарий',
  ],
  dealColumns: [
    'Время',
    'Сделка',
    'Символ',
    'Тип',
    'Направление',
    'Объем',
    'Цена',
    'Ордер',
    'Стоимость',
    'Комиссия',
    'Сбор',
    'Своп',
    'Прибыль',
    'Баланс',
    'Комментарий',
  ],
  openColumns: [
    'Время',
    'Позиция',
    'Символ',
    'Тип',
    'Объем',
    'Цена',
    'S / L',
    'T / P',
    'Рыночная цена',
    'Своп',
    'Прибыль',
    'Комментарий',
  ],
  balance: 'Баланс:',
  credit: 'Кредит:',
  floating: 'Плавающая П/У:',
  equity: 'Средства:',
  freeMargin: 'Свободная маржа:',
  margin: 'Маржа:',
  results: 'Результаты',
  netProfit: 'Чистая прибыль:',
  grossProfit: 'Общая прибыль:',
  grossLoss: 'Общий убыток:',
  trades: 'Всего трейдов:',
  short: 'Короткие трейды (% выигравших):',
  long: 'Длинные трейды (% выигравших):',
}

const italian: typeof english = {
  title: 'Rapporto storico di trading',
  head: ['Nome:', 'Conto:', 'Società:', 'Data:'],
  positions: 'Posizioni',
  orders: 'Ordini',
  deals: 'Affari',
  open: 'Posizioni aperte',
  positionColumns: [
    'Ora',
    'Posizione',
    'Simbolo',
    'Tipo',
    'Volume',
    'Prezzo',
    'S / L',
    'T / P',
    'Ora',
    'Prezzo',
    'Commissioni',
    'Swap',
    'Profitto',
  ],
  orderColumns: [
    'Ora di apertura',
    'Ordine',
    'Simbolo',
    'Tipo',
    'Volume',
    'Prezzo',
    'S / L',
    'T / P',
    'Ora',
    'Stato',
    'Commento',
  ],
  dealColumns: [
    'Ora',
    'Affare',
    'Simbolo',
    'Tipo',
    'Direzione',
    'Volume',
    'Prezzo',
    'Ordine',
    'Costo',
    'Commissioni',
    'Tariffa',
    'Swap',
    'Profitto',
    'Saldo',
    'Commento',
  ],
  openColumns: [
    'Ora',
    'Posizione',
    'Simbolo',
    'Tipo',
    'Volume',
    'Prezzo',
    'S / L',
    'T / P',
    'Prezzo di mercato',
    'Swap',
    'Profitto',
    'Commento',
  ],
  balance: 'Saldo:',
  credit: 'Credito:',
  floating: 'P/L fluttuante:',
  equity: 'Equità:',
  freeMargin: 'Margine libero:',
  margin: 'Margine:',
  results: 'Risultati',
  netProfit: 'Profitto netto totale:',
  grossProfit: 'Profitto lordo:',
  grossLoss: 'Perdita lorda:',
  trades: 'Totale trade:',
  short: 'Trade short (% vinti):',
  long: 'Trade long (% vinti):',
}

/** A language whose words the reader does not have: it goes by positions and values. */
const portuguese: typeof english = {
  title: 'Relatório do Histórico de Negociação',
  head: ['Nome:', 'Conta:', 'Empresa:', 'Data:'],
  positions: 'Posições',
  orders: 'Ordens',
  deals: 'Transações',
  open: 'Posições abertas',
  positionColumns: [
    'Horário',
    'Posição',
    'Ativo',
    'Tipo',
    'Volume',
    'Preço',
    'S / L',
    'T / P',
    'Horário',
    'Preço',
    'Comissão',
    'Swap',
    'Lucro',
  ],
  orderColumns: [
    'Horário de abertura',
    'Ordem',
    'Ativo',
    'Tipo',
    'Volume',
    'Preço',
    'S / L',
    'T / P',
    'Horário',
    'Estado',
    'Comentário',
  ],
  dealColumns: [
    'Horário',
    'Oferta',
    'Ativo',
    'Tipo',
    'Direção',
    'Volume',
    'Preço',
    'Ordem',
    'Custo',
    'Comissão',
    'Taxa',
    'Swap',
    'Lucro',
    'Saldo',
    'Comentário',
  ],
  openColumns: [
    'Horário',
    'Posição',
    'Ativo',
    'Tipo',
    'Volume',
    'Preço',
    'S / L',
    'T / P',
    'Preço de mercado',
    'Swap',
    'Lucro',
    'Comentário',
  ],
  balance: 'Saldo:',
  credit: 'Crédito:',
  floating: 'L/P flutuante:',
  equity: 'Capital líquido:',
  freeMargin: 'Margem livre:',
  margin: 'Margem:',
  results: 'Resultados',
  netProfit: 'Lucro líquido total:',
  grossProfit: 'Lucro bruto:',
  grossLoss: 'Perda bruta:',
  trades: 'Total de negociações:',
  short: 'Posições vendidas (% ganhos):',
  long: 'Posições compradas (% ganhos):',
}

const languages = { en: english, ru: russian, it: italian, pt: portuguese }

const TIME = 'YYYY.MM.DD HH:mm:ss'
const money = (amount: string) => styled(amount, { mark: '.', thousands: ' ' })
const isLedger = ({ direction }: Mt5Deal) => direction === ''

/**
 * The deals of positions that are opened and closed at once, and ledger rows, by time. Half of a commission stands with
 * each deal, the rest with the close. A fee stands with the close.
 */
export function dealsOf(positions: readonly WrittenTrade[], entries: readonly WrittenEntry[]): readonly Mt5Deal[] {
  const legs = positions.flatMap((trade): Omit<Mt5Deal, 'id'>[] => {
    const { symbol, side, volume, commission, fee, swap, profit } = trade
    const half = halfOf(commission)
    const leg = { symbol, volume, comment: '' }
    return [
      {
        ...leg,
        at: trade.opened,
        type: side,
        direction: 'in',
        price: trade.openPrice,
        order: trade.id,
        commission: half,
        fee: '0.00',
        swap: '0.00',
        profit: '0.00',
      },
      {
        ...leg,
        at: trade.closed,
        type: side === 'buy' ? 'sell' : 'buy',
        direction: 'out',
        price: trade.closePrice,
        order: `${trade.id}9`,
        commission: sum(commission, negated(half)),
        fee,
        swap,
        profit,
      },
    ]
  })
  const ledger = entries.map(({ id, at, type, amount, comment }): Mt5Deal => ({
    at,
    id,
    symbol: '',
    type,
    direction: '',
    volume: '',
    price: '',
    order: '',
    commission: '0.00',
    fee: '0.00',
    swap: '0.00',
    profit: amount,
    comment,
  }))
  const numbered = legs.map((leg, index): Mt5Deal => ({ ...leg, id: String(7_000_001 + index) }))
  return [...ledger, ...numbered].toSorted((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0))
}

function halfOf(amount: string): string {
  const cents = BigInt(amount.replace('.', '')) / 2n
  const digits = String(cents < 0n ? -cents : cents).padStart(3, '0')
  return `${cents < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/** The figures that a report prints of its own rows. Credit, bonus and correction are no part of the chain of balances. */
function figuresOf({ positions, deals, openPositions = [], margin = '0.00' }: Mt5Report) {
  const moneyOf = ({ commission, fee, swap, profit }: Mt5Deal) => sum(commission, fee, swap, profit)
  const counts = (deal: Mt5Deal) => !isLedger(deal) || !['credit', 'bonus'].includes(deal.type)
  let balance = '0.00'
  const balances = deals.map((deal) => (balance = counts(deal) ? sum(balance, moneyOf(deal)) : balance))
  const total = (amount: (deal: Mt5Deal) => string) => sum('0.00', ...deals.filter(counts).map(amount))
  const floating = sum('0.00', ...openPositions.map(({ swap, profit }) => sum(swap, profit)))
  const credit = sum('0.00', ...deals.filter(({ type }) => type === 'credit').map(({ profit }) => profit))
  const nets = positions.map(netOf)
  const gross = (isLoss: boolean) => sum('0.00', ...nets.filter((net) => isNegative(net) === isLoss))
  return {
    balances,
    balance,
    credit,
    floating,
    margin,
    equity: sum(balance, credit, floating),
    freeMargin: sum(balance, credit, floating, negated(margin)),
    totals: [
      total(({ commission }) => commission),
      total(({ fee }) => fee),
      total(({ swap }) => swap),
      total(({ profit }) => profit),
      balance,
    ],
    grossProfit: gross(false),
    grossLoss: gross(true),
    netProfit: sum('0.00', ...nets),
    short: positions.filter(({ side }) => side === 'sell').length,
    long: positions.filter(({ side }) => side === 'buy').length,
  }
}

/** The account as the head names it, with no-break spaces. */
function accountText({ login, currency, server, leverageFirst = false }: Mt5Report): string {
  const parts = leverageFirst ? [currency, '1:100', server, 'real', 'Hedge'] : [currency, server, 'real', 'Hedge']
  return `${login} (${parts.join(', ')})`
}

export function mt5Html(report: Mt5Report): Uint8Array {
  const text = languages[report.language ?? 'en']
  const figures = figuresOf(report)
  const title = (words: string) =>
    `        <tr align="center"><th colspan="14" style="height: 25px"><div style="font: 10pt Tahoma"><b>${words}</b></div></th></tr>`
  const head = (label: string, value: string) =>
    `        <tr align="left"><th colspan="4" nowrap align="right" style="width: 220px; height: 20px">${label}</th><th colspan="10" nowrap align="left" style="width: 220px; height: 20px"><b>${value}</b></th></tr>`
  const header = (columns: readonly string[], attributes: (index: number) => string) =>
    `        <tr align="center" bgcolor="#E5F0FC">${columns.map((column, index) => `<td nowrap style="height: 30px"${attributes(index)}><b>${column}</b></td>`).join('')}</tr>`
  const row = (index: number, cells: readonly string[]) =>
    `        <tr bgcolor="${index % 2 === 0 ? '#FFFFFF' : '#F7F7F7'}" align="right">${cells.join('')}</tr>`
  const cell = (value: string) => `<td>${escaped(value)}</td>`
  const position = (trade: WrittenTrade, index: number) =>
    row(index, [
      ...[timed(trade.opened, TIME), trade.id, trade.symbol, trade.side].map(cell),
      '<td class="hidden" colspan="8"></td>',
      ...[
        trade.volume,
        money(trade.openPrice),
        '',
        '',
        timed(trade.closed, TIME),
        money(trade.closePrice),
        money(trade.commission),
        money(trade.swap),
      ].map((value) => `<td class="">${value}</td>`),
      `<td colspan="2">${money(trade.profit)}</td>`,
    ])
  const deal = (entry: Mt5Deal, index: number) =>
    row(
      index,
      [
        timed(entry.at, TIME),
        entry.id,
        entry.symbol,
        entry.type,
        entry.direction,
        entry.volume,
        money(entry.price),
        entry.order,
        '',
        ...[entry.commission, entry.fee, entry.swap, entry.profit, figures.balances[index] ?? ''].map(money),
        entry.comment,
      ].map((value, column) => `<td nowrap${column === 8 ? ' class="hidden"' : ''}>${escaped(value)}</td>`),
    )
  const order = (entry: Mt5Deal, index: number) =>
    row(index, [
      ...[
        timed(entry.at, TIME),
        entry.order,
        entry.symbol,
        entry.type,
        `${entry.volume} / ${entry.volume}`,
        'market',
        '',
        '',
        timed(entry.at, TIME),
      ].map(cell),
      '<td colspan="2">filled</td>',
      '<td colspan="3"></td>',
    ])
  const open = (trade: NonNullable<Mt5Report['openPositions']>[number], index: number) =>
    row(index, [
      ...[
        timed(trade.opened, TIME),
        trade.id,
        trade.symbol,
        trade.side,
        trade.volume,
        money(trade.openPrice),
        '',
        '',
        money(trade.marketPrice),
        money(trade.swap),
        money(trade.profit),
      ].map(cell),
      '<td colspan="3"></td>',
    ])
  const span = (columns: number, value: string) => `<td colspan="${columns}">${value}</td>`
  const bold = (columns: number, value: string) => span(columns, `<b>${value}</b>`)
  const { openPositions = [] } = report
  const lines = [
    '<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN" "http://www.w3.org/TR/html4/loose.dtd">',
    '<html>',
    '  <head>',
    `    <title>${report.login}: ${escaped(report.name)} - ${text.title}</title>`,
    '    <meta name="generator" content="client terminal">',
    '    <style type="text/css">',
    '    <!--',
    '    @media screen { td { font: 8pt Tahoma,Arial; } th { font: 10pt Tahoma,Arial; } }',
    '    .hidden { display: none; }',
    '    //-->',
    '    </style>',
    '  </head>',
    '<body>',
    '<div align="center">',
    '    <table cellspacing="1" cellpadding="3" border="0">',
    `        <tr align="center"><td colspan="14"><div style="font: 14pt Tahoma"><b>${text.title}</b><br></div></td></tr>`,
    head(text.head[0] ?? '', escaped(report.name)),
    head(text.head[1] ?? '', escaped(accountText(report)).replaceAll(' ', '&nbsp;')),
    head(text.head[2] ?? '', escaped(report.company)),
    head(text.head[3] ?? '', timed(report.date, 'YYYY.MM.DD HH:mm')),
    title(text.positions),
    header(text.positionColumns, (index) => (index === 12 ? ' colspan="2"' : '')),
    ...report.positions.map(position),
    title(text.orders),
    header(text.orderColumns, (index) => (index === 9 ? ' colspan="2"' : index === 10 ? ' colspan="3"' : '')),
    ...report.deals.filter((entry) => !isLedger(entry)).map(order),
    title(text.deals),
    header(text.dealColumns, (index) => (index === 8 ? ' class="hidden"' : '')),
    ...report.deals.map(deal),
    `        <tr align="right"><td nowrap colspan="8" style="height: 30px"></td>${figures.totals.map((total) => `<td nowrap><b>${money(total)}</b></td>`).join('')}<td nowrap></td></tr>`,
    ...(openPositions.length === 0
      ? []
      : [
          title(text.open),
          header(text.openColumns, (index) => (index === 11 ? ' colspan="3"' : '')),
          ...openPositions.map(open),
        ]),
    '        <tr><td colspan="14" style="height: 10px"></td></tr>',
    `        <tr align="right">${span(3, text.balance)}${bold(2, money(figures.balance))}<td></td>${span(3, text.freeMargin)}${bold(2, money(figures.freeMargin))}</tr>`,
    `        <tr align="right">${span(3, text.credit)}${bold(2, money(figures.credit))}<td></td>${span(3, text.margin)}${bold(2, money(figures.margin))}</tr>`,
    `        <tr align="right">${span(3, text.floating)}${bold(2, money(figures.floating))}</tr>`,
    `        <tr align="right">${span(3, text.equity)}${bold(2, money(figures.equity))}</tr>`,
    `        <tr><td colspan="13" align="center"><div style="font: 10pt Tahoma"><b>${text.results}</b></div></td></tr>`,
    `        <tr align="right">${span(3, text.netProfit)}${bold(1, money(figures.netProfit))}${span(3, text.grossProfit)}${bold(1, money(figures.grossProfit))}${span(3, text.grossLoss)}${bold(2, money(figures.grossLoss))}</tr>`,
    `        <tr align="right">${span(3, text.trades)}${bold(1, String(figures.long + figures.short))}${span(3, text.short)}${bold(1, `${figures.short} (50.00%)`)}${span(3, text.long)}${bold(2, `${figures.long} (50.00%)`)}</tr>`,
    '    </table>',
    '</div>',
    '</body>',
    '</html>',
  ]
  return encoded(`${lines.join('\r\n')}\r\n`, report.encoding ?? 'utf-16le')
}

/** Times and volumes are text, other figures are numbers of as many digits as they need. */
export function mt5Xlsx(report: Mt5Report): Uint8Array {
  return xlsx('Sheet1', mt5Cells(report))
}

/** The cells of the one sheet, for tests that change one of them. */
export function mt5Cells(report: Mt5Report): readonly (readonly WrittenCell[])[] {
  const text = languages[report.language ?? 'en']
  const figures = figuresOf(report)
  const number = (value: string): WrittenCell => (value === '' ? null : { number: shortest(value) })
  const figure = (label: string, value: string, ...more: readonly WrittenCell[]): WrittenCell[] => [
    label,
    null,
    null,
    number(value),
    ...more,
  ]
  const { openPositions = [] } = report
  return [
    [text.title],
    [text.head[0] ?? '', null, null, report.name],
    [text.head[1] ?? '', null, null, accountText(report)],
    [text.head[2] ?? '', null, null, report.company],
    [text.head[3] ?? '', null, null, timed(report.date, 'YYYY.MM.DD HH:mm')],
    [text.positions],
    text.positionColumns,
    ...report.positions.map((trade) => [
      timed(trade.opened, TIME),
      number(trade.id),
      trade.symbol,
      trade.side,
      trade.volume,
      number(trade.openPrice),
      null,
      null,
      timed(trade.closed, TIME),
      number(trade.closePrice),
      number(trade.commission),
      number(trade.swap),
      number(trade.profit),
    ]),
    [text.orders],
    text.orderColumns,
    ...report.deals
      .filter((entry) => !isLedger(entry))
      .map((entry) => [
        timed(entry.at, TIME),
        number(entry.order),
        entry.symbol,
        entry.type,
        `${entry.volume} / ${entry.volume}`,
        'market',
        null,
        null,
        timed(entry.at, TIME),
        'filled',
      ]),
    [text.deals],
    text.dealColumns,
    ...report.deals.map((entry, index) => [
      timed(entry.at, TIME),
      number(entry.id),
      entry.symbol || null,
      entry.type,
      entry.direction || null,
      entry.volume || null,
      number(entry.price),
      number(entry.order),
      null,
      number(entry.commission),
      number(entry.fee),
      number(entry.swap),
      number(entry.profit),
      number(figures.balances[index] ?? ''),
      entry.comment || null,
    ]),
    [null, null, null, null, null, null, null, null, null, ...figures.totals.map(number)],
    ...(openPositions.length === 0
      ? []
      : [
          [text.open],
          text.openColumns,
          ...openPositions.map((trade) => [
            timed(trade.opened, TIME),
            number(trade.id),
            trade.symbol,
            trade.side,
            trade.volume,
            number(trade.openPrice),
            null,
            null,
            number(trade.marketPrice),
            number(trade.swap),
            number(trade.profit),
          ]),
        ]),
    [],
    figure(text.balance, figures.balance, null, null, text.freeMargin, null, null, number(figures.freeMargin)),
    figure(text.credit, figures.credit, null, null, text.margin, null, null, number(figures.margin)),
    figure(text.floating, figures.floating),
    figure(text.equity, figures.equity),
    [text.results],
    figure(
      text.netProfit,
      figures.netProfit,
      text.grossProfit,
      null,
      null,
      number(figures.grossProfit),
      text.grossLoss,
      null,
      null,
      number(figures.grossLoss),
    ),
    figure(
      text.trades,
      String(figures.long + figures.short),
      text.short,
      null,
      null,
      `${figures.short} (50.00%)`,
      text.long,
      null,
      null,
      `${figures.long} (50.00%)`,
    ),
  ]
}

/** `12.50` is 12.5 in a sheet, `-0.70` is -0.7, `0.00` is 0. */
function shortest(value: string): string {
  return value.includes('.') ? value.replace(/\.?0+$/, '') : value
}
