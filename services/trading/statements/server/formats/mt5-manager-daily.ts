import type { StatementCheck } from '../../statement-vocabulary.ts'
import { columnsOf } from '../headings.ts'
import { byPlace, CURRENCY, isTotal, LOGIN, TIME } from '../manager-totals.ts'
import { dayRow, readable, type RowCells } from '../row-cells.ts'
import { disagreement, rowCheck } from '../statement-checks.ts'
import { tableFormat } from '../table-format.ts'
import { sumOf } from '../values/decimal.ts'
import { loginOf } from './mt5-manager-positions.ts'

const headings = {
  ...{ time: ['Time', 'Время'], login: ['Login', 'Логин'], balance: ['Balance', 'Баланс', 'Saldo', 'Bilancio'] },
  equity: ['Equity', 'Средства', 'Эквити'],
} as const
const optional = {
  before: ['Prev Balance', 'Пред. баланс', 'Предыдущий баланс', 'Saldo precedente'],
  deposit: ['Deposit', 'Депозит', 'Deposito'],
  closed: ['Closed P/L', 'Закрытая прибыль', 'P/L chiuso'],
  credit: ['Credit', 'Кредит', 'Credito'],
  floating: ['Floating P/L', 'Плавающая прибыль', 'P/L fluttuante'],
} as const
type Field = keyof typeof headings | keyof typeof optional | 'currency'

const places: readonly (Field | null)[] = [
  ...(['time', 'login', null, 'before', 'deposit', 'closed', 'balance', 'credit', 'floating', 'equity'] as const),
  ...([null, null, 'currency'] as const),
]

/** The ends of days of many logins, from the manager. */
export const managerDaily = tableFormat({
  id: 'mt5-manager-daily',
  again: null,
  kinds: ['csv', 'html', 'xlsx'],
  columns: (cells, first) =>
    columnsOf(cells, headings, optional) ??
    byPlace(cells, first, places, { time: TIME, login: LOGIN, currency: CURRENCY }),
  numbers: ['before', 'deposit', 'closed', 'balance', 'credit', 'floating', 'equity'],
  times: ['time'],
  dates: 'year-first',
  zone: () => 'asked',
  isPassedOver: isTotal,
  row: (cells) =>
    dayRow(cells.row, {
      ...{ login: loginOf(cells), time: cells.time('time'), instantOf: (local) => cells.timeAt(local) },
      ...{ balance: cells.amount('balance'), equity: cells.amount('equity') },
      ...{ lowest: null, highest: null, trades: null },
    }),
  checks: (all) => [
    ...sumCheck(all, 'balance of a day', 'balance', ['before', 'deposit', 'closed']),
    ...sumCheck(all, 'equity of a day', 'equity', ['balance', 'credit', 'floating']),
    ...chainCheck(all),
  ],
})

function sumCheck(
  all: readonly RowCells<Field>[],
  name: string,
  field: Field,
  parts: readonly Field[],
): readonly StatementCheck[] {
  if (!all[0] || !parts.every((part) => all[0]?.has(part))) return []
  const disagreeing = all.flatMap((cells) => {
    const found = readable(() => ({
      stated: cells.amount(field),
      computed: sumOf(parts.map((part) => cells.amount(part))),
    }))
    return (found && disagreement(cells.row.line, found.stated, found.computed)) ?? []
  })
  return rowCheck(name, disagreeing)
}

/** The balance before a day is that after the login's day before it in the file. */
function chainCheck(all: readonly RowCells<Field>[]): readonly StatementCheck[] {
  if (!all[0]?.has('before')) return []
  const days = all
    .flatMap((cells) => {
      const read = readable(() => ({
        ...{ line: cells.row.line, login: loginOf(cells), at: cells.time('time').ms },
        ...{ before: cells.amount('before'), after: cells.amount('balance') },
      }))
      return read ?? []
    })
    .toSorted((one, other) => one.at - other.at)
  const known = new Map<string, (typeof days)[number]>()
  let isMade = false
  const disagreeing = days.flatMap((day) => {
    const earlier = known.get(day.login)
    known.set(day.login, day)
    isMade ||= earlier !== undefined
    return (earlier && disagreement(day.line, day.before, earlier.after)) ?? []
  })
  if (!isMade) return []
  return rowCheck(
    'balance chain',
    disagreeing.toSorted((one, other) => one.line - other.line),
  )
}
