import type { StatementCheck } from '../../statement-vocabulary.ts'
import { balanceChain } from '../balance-chain.ts'
import { columnsOf } from '../headings.ts'
import { type Columns, readable, type RowCells, tradeRow } from '../row-cells.ts'
import { disagreement, rowCheck } from '../statement-checks.ts'
import { tableFormat } from '../table-format.ts'
import { sumOf } from '../values/decimal.ts'

/** As far as any zone is from UTC. */
const MOST_HOURS = 14

const required = {
  symbol: ['Symbol', 'Símbolo'],
  closed: ['Closing time', 'Hora de cierre'],
  volume: ['Closing quantity', 'Cantidad de cierre'],
  net: ['Net', 'Neto'],
} as const

/** Only the columns that the trader has ticked are exported. */
const optional = {
  id: 'ID',
  order: 'Order ID',
  side: ['Opening direction', 'Dirección de apertura'],
  closing: ['Closing direction', 'Dirección de cierre'],
  opened: ['Opening time', 'Hora de apertura'],
  openPrice: ['Entry price', 'Precio de entrada'],
  closePrice: ['Closing price', 'Precio de cierre'],
  swap: 'Swap',
  commission: ['Commission', 'Commissions', 'Comisión', 'Comisiones'],
  gross: ['Gross', 'Bruto'],
  balance: ['Balance', 'Saldo'],
} as const

const OPENING = /opening time|hora de apertura/i

type Field = keyof typeof required | keyof typeof optional

function columnsIn(headings: readonly string[]): Columns<Field> | null {
  const columns = columnsOf(headings.map(plainHeading), required, optional)
  if (!columns || (columns.side ?? columns.closing) === undefined) return null
  // A heading with a zone that cannot be read is none without this column.
  if (columns.opened === undefined && headings.some((heading) => OPENING.test(heading))) return null
  const zones = zonesIn(headings, columns)
  return zones.includes(null) || new Set(zones).size > 1 ? null : columns
}

/** Without the zone after a time, and without the account's currency beside an amount. */
function plainHeading(heading: string): string {
  return heading
    .trim()
    .replaceAll(/\s+/g, ' ')
    .replace(/\s?\((?:UTC|GMT).*\)$/i, '')
    .replace(/^(net|gross|balance|saldo) [^()\s]+$/i, '$1')
    .replace(/^[^()\s]+ (neto|bruto)$/i, '$1')
}

/** Signs of currencies that only one of them has. */
const signs: Readonly<Record<string, string>> = { '€': 'EUR', '£': 'GBP' }

/** The history of cTrader: a row for each closing deal, the newest first. */
export const ctrader = tableFormat<Field>({
  id: 'ctrader',
  again: 'steps',
  againIn: ({ id, order }) => ((id ?? order) === undefined ? 'fills' : 'steps'),
  kinds: ['csv', 'xlsx'],
  columns: columnsIn,
  numbers: ['volume', 'openPrice', 'closePrice', 'swap', 'commission', 'gross', 'net', 'balance'],
  times: ['opened', 'closed'],
  zone: ({ headings, columns }) => {
    const [zone] = zonesIn(headings, columns)
    return typeof zone === 'number' ? { heading: zone } : 'asked'
  },
  account: ({ headings, columns }) => {
    const [, currency = ''] = /^net (\S+)$/i.exec(headings[columns.net ?? -1]?.trim() ?? '') ?? []
    const code = /^[a-z]{3}$/i.test(currency) ? currency.toUpperCase() : (signs[currency] ?? null)
    return { login: null, currency: code, server: null }
  },
  row: (cells) =>
    tradeRow(cells.row, {
      login: null,
      id: cells.has('id') || cells.has('order') ? cells.text('id') || cells.text('order') : null,
      symbol: cells.text('symbol'),
      side: cells.has('side') ? cells.side('side') : cells.side('closing') === 'buy' ? 'sell' : 'buy',
      volume: cells.volume('volume'),
      opened: cells.has('opened') ? cells.time('opened') : null,
      closed: cells.time('closed'),
      openPrice: cells.price('openPrice'),
      closePrice: cells.price('closePrice'),
      net: [cells.amount('net')],
    }),
  checks: (all) => [...netChecks(all), ...balanceChecks(all)],
})

/** The zones of both headings with a time, in minutes ahead of UTC: `asked` where it is not said, null for what is none. */
function zonesIn(
  headings: readonly string[],
  { opened, closed }: Columns<Field>,
): readonly (number | 'asked' | null)[] {
  return [opened, closed]
    .filter((place) => place !== undefined)
    .map((place) => {
      const [, zone] = /\((.*)\)\s*$/.exec(headings[place] ?? '') ?? []
      if (zone === undefined) return 'asked'
      const [match, sign, hours = '0', minutes = '0'] =
        /^(?:UTC|GMT)(?:([+-])(\d{1,2})(?::([0-5]\d))?)?$/i.exec(zone) ?? []
      if (match === undefined || Number(hours) > MOST_HOURS) return null
      const size = Number(hours) * 60 + Number(minutes)
      return sign === '-' ? -size : size
    })
}

function netChecks(all: readonly RowCells<Field>[]): readonly StatementCheck[] {
  const parts = ['gross', 'swap', 'commission'] as const
  if (!all[0] || !parts.every((part) => all[0]?.has(part))) return []
  const disagreeing = all.flatMap((cells) => {
    const found = readable(() => ({ net: cells.amount('net'), sum: sumOf(parts.map((part) => cells.amount(part))) }))
    return (found && disagreement(cells.row.line, found.net, found.sum)) ?? []
  })
  return rowCheck('net of a row', disagreeing)
}

/** Rows stand in the order of their closes, or the newest stands first, or a trader has sorted them. */
function balanceChecks(all: readonly RowCells<Field>[]): readonly StatementCheck[] {
  if (!all[0]?.has('balance')) return []
  const links = all.map((cells) =>
    readable(() => ({
      ...{ line: cells.row.line, at: cells.time('closed').ms },
      ...{ money: cells.amount('net'), balance: cells.amount('balance'), isRestart: false },
    })),
  )
  const times = links.flatMap((link) => link?.at ?? [])
  const inTime = (times[0] ?? 0) >= (times.at(-1) ?? 0) ? links.toReversed() : links
  // Nobody knows what a row with a fault added.
  const known = inTime.flatMap((link, index) => (link ? { ...link, isRestart: inTime[index - 1] === null } : []))
  return balanceChain(
    known.toSorted((one, other) => one.at - other.at),
    null,
  ).checks
}
