import { createHash } from 'node:crypto'
import type { StatementCheck, StatementRow, TradeRow, TransferRow } from '../statement-vocabulary.ts'
import { rowCheck } from './statement-checks.ts'
import { NO_ID } from './row-cells.ts'
import type { ReadRow, StatementFormat } from './statement-format.ts'

/** Ids of trades and ledger rows: made where the file has none, and numbered where one comes again. */

type WithId = Extract<StatementRow, { readonly id: string }>
interface Identified {
  readonly index: number
  readonly read: ReadRow
  readonly printed: WithId
}

/** Gives each row its id, and tells of those that are told twice. */
export function withIds(
  rows: readonly ReadRow[],
  again: StatementFormat['again'],
  hasOwnZone: boolean,
): { readonly rows: readonly StatementRow[]; readonly checks: readonly StatementCheck[] } {
  const groups = new Map<string, Identified[]>()
  const printed = rows.map((read, index): StatementRow => {
    const row = read.printed
    if (row.row !== 'trade' && row.row !== 'transfer') return row
    const withId = row.row === 'trade' && row.id === NO_ID ? { ...row, id: ownId(read, hasOwnZone) } : row
    const key = JSON.stringify([withId.row, withId.login, withId.id])
    const group = groups.get(key)
    if (group) group.push({ index, read, printed: withId })
    else groups.set(key, [{ index, read, printed: withId }])
    return withId
  })
  const told: number[] = []
  for (const group of groups.values()) {
    if (group.length === 1) continue
    if (again !== 'fills')
      for (const { printed: row } of again === 'told' ? group.slice(1) : equalRowsIn(group)) told.push(row.line)
    for (const [place, { index, printed: row }] of group
      .toSorted((one, other) => compareRepeated(one.printed, other.printed))
      .entries())
      if (place > 0) printed[index] = { ...row, id: `${row.id}#${place + 1}` }
  }
  const isChecked = again === 'told' || again === 'steps'
  const disagreeing = told.toSorted((one, other) => one - other).map((line) => ({ line, stated: null, computed: null }))
  return { rows: printed, checks: isChecked ? rowCheck('a ticket twice', disagreeing) : [] }
}

/** The rows that are equal in all cells to an earlier one. */
function equalRowsIn(group: readonly Identified[]): readonly Identified[] {
  const seen = new Set<string>()
  return group.filter(({ read }) => {
    const key = JSON.stringify(read.cells)
    const isEqual = seen.has(key)
    seen.add(key)
    return isEqual
  })
}

type Repeated = Pick<WithId, 'at'> &
  (
    | Pick<TransferRow, 'row' | 'amount' | 'why'>
    | (Pick<TradeRow, 'row' | 'profit' | 'volume'> & { readonly [fact in Fact]: string | null })
  )
type Fact = 'openedAt' | 'openPrice' | 'closePrice' | 'side' | 'symbol'

/**
 * The order of rows with one id. It does not depend on that of the file, so that each later file of the same content gives
 * the same ids; rows that are equal stay in the order in which they stand.
 */
export function compareRepeated(one: Repeated, other: Repeated): number {
  const [first, second] = [Date.parse(one.at), Date.parse(other.at)]
  if (first !== second) return first - second
  const texts = textsOf(other)
  for (const [index, text] of textsOf(one).entries()) {
    const against = texts[index] ?? ''
    if (text !== against) return text < against ? -1 : 1
  }
  return 0
}

function textsOf(row: Repeated): readonly string[] {
  if (row.row === 'transfer') return [row.amount, row.why]
  const { openedAt, profit, volume, openPrice, closePrice, side, symbol } = row
  return [openedAt, profit, volume, openPrice, closePrice, side, symbol].map((text) => text ?? '')
}

/** An id that a later file of the same trade gives again, whatever zone is said for a file that says none. */
function ownId({ printed, opened, closed }: ReadRow, hasOwnZone: boolean): string {
  if (printed.row !== 'trade') return ''
  const { login, symbol, side, volume, openedAt, at, openPrice, closePrice } = printed
  const times = hasOwnZone ? [openedAt, at] : [opened?.cell ?? null, closed?.cell ?? null]
  const content = [login, symbol, side, volume, ...times, openPrice, closePrice]
  return createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 20)
}
