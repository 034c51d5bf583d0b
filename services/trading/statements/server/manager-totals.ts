import type { StatementCheck } from '../statement-vocabulary.ts'
import type { RowCells } from './row-cells.ts'
import { checkOf, statedBelow, totalOf, wholeFile } from './section-totals.ts'
import type { Values } from './statement-format.ts'
import type { Table } from './table-format.ts'

/** Reports of the manager of MetaTrader 5 for many logins: tables with titles above, and some with a row `Total` below. */

type Money = 'commission' | 'fee' | 'swap' | 'profit'

const names: Readonly<Record<Money, string>> = {
  commission: 'total commission',
  fee: 'total fee',
  swap: 'total swap',
  profit: 'total profit',
}

/** A row of totals names itself in its first cell that is filled. */
export function isTotal(cells: readonly string[]): boolean {
  const first = cells.find((cell) => cell.trim() !== '')?.trim() ?? ''
  return /^(?:Total|Итого|Всего|Totale):?$/i.test(first)
}

/** The totals of the money, where the report has them. `isExpected` is of a report that always ends with them. */
export function totalChecks<Field extends Money>(
  all: readonly RowCells<Field | Money>[],
  { passedOver, columns }: Table<Field | Money>,
  values: Values,
  isExpected: boolean,
): readonly StatementCheck[] {
  const totals = passedOver.find(({ cells }) => isTotal(cells))
  if (!totals) return isExpected ? [wholeFile(false)] : []
  const fields = (['commission', 'fee', 'swap', 'profit'] as const).filter((field) => columns[field] !== undefined)
  const stated = fields.map((field) => ({ field, total: statedBelow(totals, columns[field], values) }))
  const checks = stated.flatMap(({ field, total }) => checkOf(names[field], total, totalOf(all, field)))
  return [...checks, wholeFile(stated.every(({ total }) => total !== null))]
}

/** A report in another language: the columns stand in the same places, and the first row has what belongs there. */
export function byPlace<Field extends string>(
  headings: readonly string[],
  first: readonly string[],
  fields: readonly (Field | null)[],
  patterns: Readonly<Partial<Record<Field, RegExp>>>,
): Partial<Record<Field, number>> | null {
  if (headings.length !== fields.length || headings.some((heading) => heading.trim() === '' || /\d/.test(heading)))
    return null
  const columns: Partial<Record<Field, number>> = {}
  for (const [index, field] of fields.entries()) {
    if (field === null) continue
    if (patterns[field]?.test((first[index] ?? '').trim()) === false) return null
    columns[field] = index
  }
  return columns
}

export const LOGIN = /^\d+$/
export const TIME = /^\d{4}[.\-/]\d\d[.\-/]\d\d(?: \d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)?$/
export const CURRENCY = /^[A-Z]{3}$/
