import {
  ctraderCsv,
  ctraderXlsx,
  dxtrade,
  exness,
  ftmo,
  matchTrader,
  ninjatrader,
  topstepx,
  tradovatePerformance,
  tradovatePositions,
} from './csv-statements.ts'
import { managerDaily, managerDeals, managerPositions } from './manager-reports.ts'
import { mt4Statement } from './metatrader-4.ts'
import { dealsOf, type Mt5Deal, mt5Html, type Mt5Report, mt5Xlsx } from './metatrader-5.ts'
import type { WrittenEntry, WrittenTrade } from './written-rows.ts'

/** A statement of each format, genuine in shape, of rows of our own (facts/statement-formats.md, §10). */

export interface Fixture {
  readonly format: string
  readonly bytes: Uint8Array
  readonly options: { readonly zone?: string; readonly decimal?: string; readonly dates?: string }
}

const SERVER = { zone: 'America/New_York+7' }

/** A trade of EURUSD on 2 November 2026; a test says what is different. */
export function written(trade: Partial<WrittenTrade> = {}): WrittenTrade {
  return {
    id: '5001',
    login: '70000001',
    symbol: 'EURUSD',
    side: 'buy',
    volume: '0.10',
    opened: '2026-11-02 11:10:00',
    closed: '2026-11-02 11:30:00',
    openPrice: '1.08410',
    closePrice: '1.08535',
    profit: '12.50',
    commission: '0.00',
    swap: '0.00',
    fee: '0.00',
    ...trade,
  }
}

function entry(fields: Partial<WrittenEntry>): WrittenEntry {
  return {
    id: '9001',
    login: '70000001',
    at: '2026-11-01 09:00:00',
    type: 'balance',
    amount: '100000.00',
    comment: 'Deposit',
    ...fields,
  }
}

/** Three trades of a CFD account: one is short, the last was open over the weekend and lost more than a thousand. */
export const cfdTrades: readonly WrittenTrade[] = [
  written({ commission: '-0.70' }),
  written({
    id: '5002',
    symbol: 'GBPJPY',
    side: 'sell',
    volume: '1.5',
    opened: '2026-11-02 13:00:05',
    closed: '2026-11-03 02:15:30',
    openPrice: '194.512',
    closePrice: '194.870',
    profit: '-353.17',
    commission: '-10.50',
    swap: '-2.31',
  }),
  written({
    id: '5003',
    symbol: 'XAUUSD',
    volume: '2',
    opened: '2026-11-06 20:00:00',
    closed: '2026-11-09 10:45:59',
    openPrice: '3980.12',
    closePrice: '3973.50',
    profit: '-1324.00',
    commission: '-14.00',
    swap: '-33.40',
  }),
]

/** Three trades of futures on 3 November 2026, without costs. The second is short. */
export const futuresTrades: readonly WrittenTrade[] = [
  written({
    id: '8101',
    login: 'DEMO1234',
    symbol: 'MNQZ6',
    volume: '2',
    opened: '2026-11-03 09:31:15',
    closed: '2026-11-03 09:44:02',
    openPrice: '25110.25',
    closePrice: '25123.75',
    profit: '54.00',
  }),
  written({
    id: '8102',
    login: 'DEMO1234',
    symbol: 'ESZ6',
    side: 'sell',
    volume: '1',
    opened: '2026-11-03 10:02:00',
    closed: '2026-11-03 10:10:30',
    openPrice: '6850.50',
    closePrice: '6858.50',
    profit: '-400.00',
  }),
  written({
    id: '8103',
    login: 'DEMO1234',
    symbol: 'NQZ6',
    volume: '3',
    opened: '2026-11-13 14:00:00',
    closed: '2026-11-13 14:59:59',
    openPrice: '25100.00',
    closePrice: '25120.00',
    profit: '1200.00',
  }),
]

const withCosts = futuresTrades.map((trade) => ({ ...trade, commission: '-1.24', fee: '-2.80' }))

const mt4Rows = [
  entry({ at: '2026-11-01 23:00:00' }),
  ...cfdTrades.slice(0, 1).map((trade) => ({ ...trade, symbol: 'eurusd' })),
  {
    id: '5010',
    type: 'buy limit' as const,
    volume: '0.10',
    symbol: 'gbpusd',
    price: '1.30000',
    opened: '2026-11-02 12:00:00',
    closed: '2026-11-02 20:00:00',
  },
  entry({ id: '9002', at: '2026-11-02 12:30:00', type: 'credit', amount: '500.00', comment: 'Credit In' }),
  // A partial close: the rest has the time and the price of the first opening.
  written({
    id: '5011',
    symbol: 'xauusd',
    side: 'sell',
    volume: '0.50',
    opened: '2026-11-03 10:00:00',
    closed: '2026-11-03 13:02:44',
    openPrice: '4010.10',
    closePrice: '4014.60',
    profit: '-225.00',
    commission: '-3.50',
  }),
  written({
    id: '5012',
    symbol: 'xauusd',
    side: 'sell',
    volume: '0.50',
    opened: '2026-11-03 10:00:00',
    closed: '2026-11-04 09:30:00',
    openPrice: '4010.10',
    closePrice: '4013.00',
    profit: '-145.00',
    commission: '-3.50',
    swap: '-4.10',
    fee: '-0.20',
  }),
  entry({ id: '9003', at: '2026-11-05 10:00:00', amount: '-1000.00', comment: 'Withdrawal' }),
]

const mt4 = {
  login: '70000001',
  name: 'Ada Example',
  company: 'Example Broker Ltd',
  currency: 'USD',
  date: '2026 November 9, 18:30',
  rows: mt4Rows,
  floating: '12.34',
  margin: '250.00',
  comments: { '5011': 'to #5012', '5012': 'from #5011[sl]', '5010': 'cancelled' },
}

/** A reversal: the second position is opened by the deal that closes the first. */
const reversed: readonly WrittenTrade[] = [
  written({
    id: '5021',
    symbol: 'GBPUSD',
    volume: '0.10',
    opened: '2026-11-04 10:00:00',
    closed: '2026-11-04 11:00:00',
    openPrice: '1.30000',
    closePrice: '1.30100',
    profit: '10.00',
    fee: '-0.30',
  }),
  written({
    id: '5022',
    symbol: 'GBPUSD',
    side: 'sell',
    volume: '0.10',
    opened: '2026-11-04 11:00:00',
    closed: '2026-11-04 12:00:00',
    openPrice: '1.30100',
    closePrice: '1.30050',
    profit: '5.00',
  }),
]
const reversal: readonly Mt5Deal[] = [
  {
    at: '2026-11-04 10:00:00',
    id: '7101',
    symbol: 'GBPUSD',
    type: 'buy',
    direction: 'in',
    volume: '0.10',
    price: '1.30000',
    order: '5021',
    commission: '0.00',
    fee: '0.00',
    swap: '0.00',
    profit: '0.00',
    comment: '',
  },
  {
    at: '2026-11-04 11:00:00',
    id: '7102',
    symbol: 'GBPUSD',
    type: 'sell',
    direction: 'in/out',
    volume: '0.20',
    price: '1.30100',
    order: '5022',
    commission: '0.00',
    fee: '-0.30',
    swap: '0.00',
    profit: '10.00',
    comment: '',
  },
  {
    at: '2026-11-04 12:00:00',
    id: '7103',
    symbol: 'GBPUSD',
    type: 'buy',
    direction: 'out',
    volume: '0.10',
    price: '1.30050',
    order: '5023',
    commission: '0.00',
    fee: '0.00',
    swap: '0.00',
    profit: '5.00',
    comment: '',
  },
]

const mt5Positions = [...cfdTrades, ...reversed]
const mt5Ledger = [
  entry({ at: '2026-11-01 23:00:00' }),
  entry({ id: '9002', at: '2026-11-05 10:00:00', amount: '-1000.00', comment: 'Withdrawal' }),
  entry({ id: '9003', at: '2026-11-06 10:00:00', type: 'correction', amount: '-0.05', comment: '' }),
  entry({ id: '9004', at: '2026-11-07 10:00:00', type: 'credit', amount: '300.00', comment: 'Credit In' }),
]

export const mt5: Mt5Report = {
  login: '70000001',
  name: 'Ada Example',
  company: 'Example Broker Ltd',
  currency: 'USD',
  server: 'Example-Live',
  date: '2026-11-09 18:30:00',
  positions: mt5Positions,
  deals: [...dealsOf(cfdTrades, mt5Ledger), ...reversal].toSorted((one, other) =>
    one.at < other.at ? -1 : one.at > other.at ? 1 : 0,
  ),
  margin: '100.00',
}

const manyLogins = [
  ...cfdTrades,
  written({ id: '5001', login: '70000002', fee: '-0.25' }),
  { ...written({ id: '5031', login: '70000003', volume: '1.00' }), closeVolume: '0.40' },
  {
    ...written({
      id: '5031',
      login: '70000003',
      volume: '1.00',
      closed: '2026-11-02 12:00:00',
      closePrice: '1.08600',
      profit: '76.00',
    }),
    closeVolume: '0.60',
  },
]

const day = {
  login: '70000001',
  name: 'Ada Example',
  at: '2026-11-03 00:00:00',
  previous: '100000.00',
  deposit: '0.00',
  closed: '11.80',
  credit: '0.00',
  floating: '-25.00',
  margin: '0.00',
}
export const managerDays = [
  day,
  { ...day, login: '70000002', previous: '0.00', deposit: '50000.00', closed: '-365.98', floating: '0.00' },
  { ...day, login: '70000003', credit: '500.00', closed: '-1371.40' },
  { ...day, at: '2026-11-04 00:00:00', previous: '100011.80', closed: '-365.98', floating: '0.00' },
]

const mixed = [
  { ...futuresTrades[0], opened: '2026-10-30 09:31:15', closed: '2026-10-30 09:44:02' },
  ...futuresTrades.slice(1),
].map((trade) => written({ ...trade, commission: '-0.50', fee: '-2.80' }))

/** All fixtures, by their name. */
export const fixtures: Readonly<Record<string, Fixture>> = {
  'mt4-statement.htm': { format: 'mt4-statement', bytes: mt4Statement(mt4), options: SERVER },
  'mt4-detailed.htm': {
    format: 'mt4-statement',
    bytes: mt4Statement({ ...mt4, detailed: true, name: 'Zoë Müller' }),
    options: SERVER,
  },
  'mt4-ru.htm': {
    format: 'mt4-statement',
    bytes: mt4Statement({ ...mt4, language: 'ru', name: 'Анна Пример', encoding: 'windows-1251' }),
    options: SERVER,
  },
  'mt5-history.html': { format: 'mt5-report', bytes: mt5Html(mt5), options: SERVER },
  'mt5-history-utf8.html': {
    format: 'mt5-report',
    bytes: mt5Html({
      ...mt5,
      encoding: 'utf-8',
      leverageFirst: true,
      openPositions: [{ ...written({ id: '5099', swap: '-0.10', profit: '3.20' }), marketPrice: '1.08700' }],
    }),
    options: SERVER,
  },
  'mt5-history-ru.html': {
    format: 'mt5-report',
    bytes: mt5Html({ ...mt5, language: 'ru', name: 'Анна Пример' }),
    options: SERVER,
  },
  'mt5-history-it.html': {
    format: 'mt5-report',
    bytes: mt5Html({ ...mt5, language: 'it', encoding: 'utf-8' }),
    options: SERVER,
  },
  'mt5-history-pt.html': {
    format: 'mt5-report',
    bytes: mt5Html({ ...mt5, language: 'pt', encoding: 'utf-8' }),
    options: SERVER,
  },
  'mt5-history.xlsx': { format: 'mt5-report', bytes: mt5Xlsx(mt5), options: SERVER },
  'mt5-history-ru.xlsx': { format: 'mt5-report', bytes: mt5Xlsx({ ...mt5, language: 'ru' }), options: SERVER },
  'mt5-manager-daily.csv': { format: 'mt5-manager-daily', bytes: managerDaily(managerDays), options: SERVER },
  'mt5-manager-daily-de.csv': {
    format: 'mt5-manager-daily',
    bytes: managerDaily(managerDays, { numbers: { mark: ',', thousands: ' ' }, encoding: 'utf-16le', delimiter: '\t' }),
    options: SERVER,
  },
  'mt5-manager-positions.csv': {
    format: 'mt5-manager-positions',
    bytes: managerPositions(manyLogins),
    options: SERVER,
  },
  'mt5-manager-deals.csv': {
    format: 'mt5-manager-deals',
    bytes: managerDeals(
      [
        entry({}),
        entry({ id: '9102', login: '70000002', at: '2026-11-03 08:00:00', amount: '-250.00', comment: 'Withdrawal' }),
        entry({ id: '9103', at: '2026-11-04 08:00:00', type: 'charge', amount: '-1.50', comment: '' }),
        entry({ id: '9104', at: '2026-11-05 08:00:00', type: 'credit', amount: '100.00', comment: '' }),
      ],
      cfdTrades,
    ),
    options: SERVER,
  },
  'ftmo.csv': { format: 'ftmo', bytes: ftmo(cfdTrades.toReversed()), options: { zone: 'Europe/Prague' } },
  'exness.csv': {
    format: 'exness',
    bytes: exness([...cfdTrades, written({ volume: '0.05', closed: '2026-11-02 11:45:00', profit: '7.00' })], {
      originals: ['0.15'],
    }),
    options: {},
  },
  'exness-older.csv': { format: 'exness', bytes: exness(cfdTrades, { older: true, zulu: true }), options: {} },
  'ctrader.csv': {
    format: 'ctrader',
    bytes: ctraderCsv(cfdTrades.toReversed(), { zone: 'UTC-4' }),
    options: { dates: 'day-first' },
  },
  'ctrader-few-columns.csv': {
    format: 'ctrader',
    bytes: ctraderCsv(
      [...cfdTrades, written({ opened: '2026-11-13 11:10:00.271', closed: '2026-11-13 11:30:00.500' })].toReversed(),
      {
        zone: 'UTC-4',
        currency: '€',
        columns: ['symbol', 'side', 'opened', 'closed', 'entry', 'exit', 'quantity', 'net'],
        numbers: { mark: '.', thousands: '\u00A0' },
      },
    ),
    options: {},
  },
  'ctrader-spanish.csv': {
    format: 'ctrader',
    bytes: ctraderCsv(
      [
        ...cfdTrades,
        written({ id: '5004', opened: '2026-11-13 11:10:00', closed: '2026-11-13 11:30:00' }),
      ].toReversed(),
      { spanish: true, currency: '€' },
    ),
    options: { zone: 'Etc/GMT+5' },
  },
  'ctrader.xlsx': {
    format: 'ctrader',
    bytes: ctraderXlsx(
      [
        ...cfdTrades,
        written({ id: '5004', opened: '2026-11-13 11:10:00.632', closed: '2026-11-13 11:30:00.633' }),
      ].toReversed(),
      {
        currency: 'AUD',
        columns: [
          'order',
          'symbol',
          'side',
          'closed',
          'entry',
          'exit',
          'quantity',
          'swap',
          'commission',
          'gross',
          'net',
          'balance',
        ],
      },
    ),
    options: { zone: 'Etc/GMT-2' },
  },
  'topstepx-10.csv': {
    format: 'topstepx',
    bytes: topstepx(withCosts, { columns: 10 }),
    options: { zone: 'America/Chicago' },
  },
  'topstepx-11.csv': {
    format: 'topstepx',
    bytes: topstepx(withCosts, { columns: 11, offsetOf: () => '-06:00' }),
    options: {},
  },
  'topstepx-13.csv': {
    format: 'topstepx',
    bytes: topstepx(mixed, { columns: 13, offsetOf: (trade) => (trade.opened < '2026-11-01' ? '+02:00' : '+01:00') }),
    options: {},
  },
  'tradovate-position-history.csv': {
    format: 'tradovate-positions',
    bytes: tradovatePositions(
      [...futuresTrades, { ...written({ id: '8104', symbol: 'ESZ6', volume: '1' }), isOpen: true }].toReversed(),
    ),
    options: { zone: 'America/Chicago' },
  },
  'tradovate-position-history-no-pairs.csv': {
    format: 'tradovate-positions',
    bytes: tradovatePositions(futuresTrades, { pairIds: false, money: '$(1.00)' }),
    options: { zone: 'America/Chicago' },
  },
  'tradovate-performance.csv': {
    format: 'tradovate-performance',
    bytes: tradovatePerformance(futuresTrades),
    options: { zone: 'America/Chicago' },
  },
  'nt8-trades-us.csv': {
    format: 'ninjatrader-trades',
    bytes: ninjatrader(withCosts),
    options: { zone: 'America/New_York' },
  },
  'nt8-trades-net.csv': {
    format: 'ninjatrader-trades',
    bytes: ninjatrader(withCosts, { isNet: true, money: '-$1.00', withFees: true }),
    options: { zone: 'America/New_York' },
  },
  'nt8-trades-fr.csv': {
    format: 'ninjatrader-trades',
    bytes: ninjatrader(withCosts, { money: '1,00 $', time: 'DD/MM/YYYY H:mm:ss', delimiter: ';', withFees: true }),
    options: { zone: 'Europe/Paris' },
  },
  'match-trader.csv': { format: 'match-trader', bytes: matchTrader(cfdTrades), options: {} },
  'dxtrade-fills.csv': {
    format: 'dxtrade',
    bytes: dxtrade([
      ...cfdTrades,
      written({ id: '5004', opened: '2026-11-13 11:10:00', closed: '2026-11-13 11:30:00' }),
    ]),
    options: { zone: 'Europe/London' },
  },
}
