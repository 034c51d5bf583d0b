import { columnsOf } from '../headings.ts'
import { ledgerKind } from '../ledger.ts'
import { byPlace, CURRENCY, isTotal, LOGIN, TIME, totalChecks } from '../manager-totals.ts'
import { skippedRow, transferRow } from '../row-cells.ts'
import { tableFormat } from '../table-format.ts'
import { UnreadableCell } from '../unreadable-statement.ts'
import { centsOf, sumOf } from '../values/decimal.ts'
import { loginOf } from './mt5-manager-positions.ts'

const headings = {
  ...{
    id: ['Deal', 'Сделка', 'Affare'],
    login: ['Login', 'Логин'],
    time: ['Time', 'Время'],
    type: ['Type', 'Тип', 'Tipo'],
  },
  ...{ commission: ['Commission', 'Комиссия', 'Commissione', 'Commissioni'], swap: ['Swap', 'Своп'] },
  profit: ['Profit', 'Прибыль', 'Profitto'],
} as const
const optional = { fee: ['Fee', 'Сбор', 'Tariffa'] } as const
type Field = keyof typeof headings | keyof typeof optional | 'currency'

const places: readonly (Field | null)[] = [
  ...(['id', null, null, null, 'login', null, 'time', 'type', null, null, null, null, null, null, null] as const),
  ...(['commission', 'fee', 'swap', 'profit', null, 'currency', null] as const),
]

/** The deals of many logins, from the manager: what is no fill moves their balances. */
export const managerDeals = tableFormat({
  id: 'mt5-manager-deals',
  again: 'told',
  kinds: ['csv', 'html', 'xlsx'],
  columns: (cells, first) =>
    columnsOf(cells, headings, optional) ??
    byPlace(cells, first, places, { id: LOGIN, login: LOGIN, time: TIME, currency: CURRENCY }),
  numbers: ['commission', 'fee', 'swap', 'profit'],
  times: ['time'],
  dates: 'year-first',
  zone: () => 'asked',
  isPassedOver: isTotal,
  row: (cells) => {
    const type = cells.text('type')
    if (/^(?:buy|sell)$/i.test(type)) return skippedRow(cells.row, 'a fill')
    const kind = ledgerKind(type)
    if (!kind) throw new UnreadableCell(`"${type}" is no type of a row`)
    if ('skipped' in kind) return skippedRow(cells.row, kind.skipped)
    const amount = (['profit', 'commission', 'fee', 'swap'] as const).map((field) => cells.amountOrZero(field))
    const why = kind.why(centsOf(sumOf(amount)))
    return transferRow(cells.row, { login: loginOf(cells), id: cells.text('id'), at: cells.time('time'), amount, why })
  },
  checks: (all, _, table, values) => totalChecks(all, table, values, true),
})
