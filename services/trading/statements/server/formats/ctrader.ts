import type { StatementCheck } from '../../statement-vocabulary.ts'
import { type Columns, readable, type RowCells, tradeRow } from '../row-cells.ts'
import { disagreement, rowCheck } from '../statement-checks.ts'
import { tableFormat } from '../table-format.ts'
import { sumOf } from '../values/decimal.ts'

/** Only the columns that the trader has ticked are exported. Times may have a zone in their heading: `(UTC-4)`. */
const words = {
  id: /^id$/i,
  order: /^order id$/i,
  symbol: /^(?:symbol|símbolo)$/i,
  side: /^(?:opening direction|dirección de apertura)$/i,
  closing: /^(?:closing direction|dirección de cierre)$/i,
  opened: /^(?:opening time|hora de apertura)(?: \(.*\))?$/i,
  closed: /^(?:closing time|hora de cierre)(?: \(.*\))?$/i,
  openPrice: /^(?:entry price|precio de entrada)$/i,
  closePrice: /^(?:closing price|precio de cierre)$/i,
  volume: /^(?:closing quantity|cantidad de cierre)$/i,
  swap: /^swap$/i,
  commission: /^(?:commissions?|comisi(?:ón|ones))$/i,
  // Amounts in the currency of the account; beside them stand those in US dollars, in brackets.
  gross: /^(?:gross [^()\s]+|[^()\s]+ bruto)$/i,
  net: /^(?:net [^()\s]+|[^()\s]+ neto)$/i,
  balance: /^(?:balance [^()\s]+|saldo [^()\s]+)$/i,
} as const

type Field = keyof typeof words

const fields = Object.keys(words).filter((field): field is Field => field in words)

function columnsIn(headings: readonly string[]): Columns<Field> | null {
  const columns: Partial<Record<Field, number>> = {}
  for (const field of fields) {
    const places = headings.flatMap((heading, index) => (words[field].test(plainHeading(heading)) ? [index] : []))
    if (places.length > 1) return null
    if (places[0] !== undefined) columns[field] = places[0]
  }
  const { symbol, side, closing, closed, volume, net } = columns
  const isComplete = [symbol, side ?? closing, closed, volume, net].every((place) => place !== undefined)
  return isComplete ? columns : null
}

function plainHeading(heading: string): string {
  return heading.trim().replaceAll(/\s+/g, ' ')
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
    const offsets = [columns.opened, columns.closed].map((place) => offsetIn(headings[place ?? -1] ?? ''))
    const offset = offsets.find((each) => each !== null)
    return offset === undefined || offset === null ? 'asked' : { heading: offset }
  },
  account: ({ headings, columns }) => {
    const [, currency = ''] = /^net (\S+)$|^(\S+) neto$/i.exec(plainHeading(headings[columns.net ?? -1] ?? '')) ?? []
    const code = /^[a-z]{3}$/i.test(currency) ? currency.toUpperCase() : (signs[currency] ?? null)
    return { login: null, currency: code, server: null }
  },
  row: (cells) =>
    tradeRow(cells.row, {
      login: null,
      id: cells.has('id') ? cells.text('id') : cells.has('order') ? cells.text('order') : null,
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

/** Minutes ahead of UTC, from `Opening time (UTC-4)`. */
function offsetIn(heading: string): number | null {
  const [match, sign, hours = '0', minutes = '0'] =
    /\((?:UTC|GMT)(?:([+-])(\d{1,2})(?::(\d{2}))?)?\)/i.exec(heading) ?? []
  if (match === undefined) return null
  const size = Number(hours) * 60 + Number(minutes)
  return sign === '-' ? -size : size
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

/** The balance after a row is that before it and its net. The row before it stands below it, or above it. */
function balanceChecks(all: readonly RowCells<Field>[]): readonly StatementCheck[] {
  if (all.length < 2 || !all[0]?.has('balance')) return []
  const times = all.map((cells) => readable(() => cells.time('closed').ms)).filter((ms) => ms !== null)
  const isNewestFirst = (times[0] ?? 0) >= (times.at(-1) ?? 0)
  const inTime = isNewestFirst ? all.toReversed() : all
  const disagreeing = inTime.slice(1).flatMap((cells, index) => {
    const before = inTime[index]
    const found = readable(
      () =>
        before && { after: cells.amount('balance'), computed: sumOf([before.amount('balance'), cells.amount('net')]) },
    )
    return (found && disagreement(cells.row.line, found.after, found.computed)) ?? []
  })
  return rowCheck(
    'balance chain',
    disagreeing.toSorted((one, other) => one.line - other.line),
  )
}
