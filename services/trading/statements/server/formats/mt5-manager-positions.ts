import { columnsOf } from '../headings.ts'
import { byPlace, CURRENCY, isTotal, LOGIN, TIME, totalChecks } from '../manager-totals.ts'
import { type RowCells, tradeRow } from '../row-cells.ts'
import { tableFormat } from '../table-format.ts'
import { UnreadableCell } from '../unreadable-statement.ts'

const headings = {
  ...{ login: ['Login', 'Логин'], opened: ['Time', 'Время'], id: ['Ticket', 'Тикет'], side: ['Type', 'Тип', 'Tipo'] },
  ...{
    volume: ['Volume', 'Объем', 'Объём'],
    symbol: ['Symbol', 'Символ', 'Simbolo'],
    openPrice: ['Price', 'Цена', 'Prezzo'],
  },
  closed: ['Close Time', 'Время закрытия', 'Ora di chiusura'],
  closePrice: ['Close Price', 'Цена закрытия', 'Prezzo di chiusura'],
  ...{ commission: ['Commission', 'Комиссия', 'Commissione', 'Commissioni'], swap: ['Swap', 'Своп'] },
  profit: ['Profit', 'Прибыль', 'Profitto'],
} as const
const optional = {
  ...{
    fee: ['Fee', 'Сбор', 'Tariffa'],
    closeVolume: ['Close Volume', 'Объем закрытия', 'Объём закрытия', 'Volume di chiusura'],
  },
} as const
type Field = keyof typeof headings | keyof typeof optional | 'currency'

const places: readonly (Field | null)[] = [
  ...([
    'login',
    null,
    'opened',
    'id',
    'side',
    'volume',
    'symbol',
    'openPrice',
    null,
    null,
    'closed',
    'closePrice',
  ] as const),
  ...([null, 'commission', 'fee', 'swap', 'profit', 'currency', null, 'closeVolume'] as const),
]

/** The positions of many logins, from the manager. */
export const managerPositions = tableFormat({
  id: 'mt5-manager-positions',
  again: 'steps',
  kinds: ['csv', 'html', 'xlsx'],
  columns: (cells, first) =>
    columnsOf(cells, headings, optional) ??
    byPlace(cells, first, places, {
      login: LOGIN,
      opened: TIME,
      closed: TIME,
      side: /^(?:buy|sell)$/i,
      currency: CURRENCY,
    }),
  numbers: ['volume', 'openPrice', 'closePrice', 'commission', 'fee', 'swap', 'profit', 'closeVolume'],
  times: ['opened', 'closed'],
  dates: 'year-first',
  zone: () => 'asked',
  isPassedOver: isTotal,
  row: (cells) =>
    tradeRow(cells.row, {
      login: loginOf(cells),
      ...{ id: cells.text('id'), symbol: cells.text('symbol'), side: cells.side('side') },
      volume: cells.volume(cells.text('closeVolume') === '' ? 'volume' : 'closeVolume'),
      ...{ opened: cells.time('opened'), closed: cells.time('closed') },
      ...{ openPrice: cells.price('openPrice'), closePrice: cells.price('closePrice') },
      net: [cells.amount('profit'), cells.amount('commission'), cells.amountOrZero('fee'), cells.amount('swap')],
    }),
  checks: (all, _, table, values) => totalChecks(all, table, values, false),
})

/** @throws {UnreadableCell} for a row of nobody */
export function loginOf(cells: RowCells<'login'>): string {
  const login = cells.text('login')
  if (LOGIN.test(login)) return login
  throw new UnreadableCell(`"${login}" is no login`)
}
