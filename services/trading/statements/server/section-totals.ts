import type { StatementCheck } from '../statement-vocabulary.ts'
import { readable, type RowCells } from './row-cells.ts'
import { amountCheck } from './statement-checks.ts'
import type { Values } from './statement-format.ts'
import { cellsByColumn, type SourceRow } from './sources/source.ts'
import { type Decimal, negated, sumOf } from './values/decimal.ts'

/** The sum of these columns over rows; an empty cell is 0. */
export function totalOf<Field extends string>(
  rows: readonly RowCells<Field>[],
  ...fields: readonly Field[]
): Decimal | null {
  return readable(() => sumOf(rows.flatMap((cells) => fields.map((field) => cells.amountOrZero(field)))))
}

/** A number that the file states in a text; null for none. */
export function statedIn(text: string | undefined, values: Values): Decimal | null {
  const number = text?.trim() ?? ''
  return number === '' ? null : readable(() => values.number(number, false, 'amount'))
}

/** The number that a row of totals states below a column. A formula states nothing. */
export function statedBelow(totals: SourceRow | null, column: number | undefined, values: Values): Decimal | null {
  if (!totals || column === undefined) return null
  const type = totals.types?.get(column)
  const text = type === 'formula' ? '' : (cellsByColumn(totals)[column] ?? '').trim()
  return text === '' ? null : readable(() => values.number(text, type === 'number', 'amount'))
}

/** A check, where both sides are known. */
export function checkOf(name: string, stated: Decimal | null, computed: Decimal | null): readonly StatementCheck[] {
  return stated && computed ? [amountCheck(name, stated, computed)] : []
}

/** A sum of what is known; null where something is not. */
export function sumOrNull(summands: readonly (Decimal | null)[]): Decimal | null {
  const known = summands.filter((summand) => summand !== null)
  return known.length === summands.length ? sumOf(known) : null
}

export function differenceOrNull(from: Decimal | null, less: Decimal | null): Decimal | null {
  return sumOrNull([from, less && negated(less)])
}

/** The losses are written with and without their sign. */
export function grossResult(profit: Decimal | null, loss: Decimal | null): Decimal | null {
  return sumOrNull([profit, loss && (loss.units > 0n ? negated(loss) : loss)])
}

/** Whether a file has its totals and its end. */
export function wholeFile(isWhole: boolean): StatementCheck {
  return { name: 'whole file', stated: null, computed: null, agrees: isWhole }
}
