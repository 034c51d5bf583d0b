import type { StatementCheck } from '../statement-vocabulary.ts'
import { centsOf, type Decimal, negated, plainText, sumOf } from './values/decimal.ts'

/** What a file says of itself is compared with its rows. */

/** How far amounts may differ, by the rounding of the platform: 0.011. */
const ROUNDING: Decimal = { units: 11n, decimals: 3 }
/** Disagreements that a sentence names. */
const MOST_NAMED = 3

export function amountsAgree(stated: Decimal, computed: Decimal): boolean {
  const difference = sumOf([stated, negated(computed)])
  const size = difference.units < 0n ? negated(difference) : difference
  return sumOf([ROUNDING, negated(size)]).units >= 0n
}

/** A statement of the file as a whole about an amount. */
export function amountCheck(name: string, stated: Decimal, computed: Decimal): StatementCheck {
  return { name, stated: printed(stated), computed: printed(computed), agrees: amountsAgree(stated, computed) }
}

interface Disagreement extends Pick<StatementCheck, 'stated' | 'computed'> {
  readonly line: number
}

/** A check of each row: it stands there once where all agree, else for each row that disagrees. */
export function rowCheck(name: string, disagreeing: readonly Disagreement[]): readonly StatementCheck[] {
  if (disagreeing.length === 0) return [{ name, stated: null, computed: null, agrees: true }]
  return disagreeing.map(({ line, stated, computed }) => ({ name, line, stated, computed, agrees: false }))
}

/** A row against what it has to be; null where both agree. */
export function disagreement(line: number, stated: Decimal, computed: Decimal): Disagreement | null {
  return amountsAgree(stated, computed) ? null : { line, stated: printed(stated), computed: printed(computed) }
}

function printed(amount: Decimal): string {
  return plainText({ units: centsOf(amount), decimals: 2 })
}

/** One sentence on all checks. */
export function saysOf(checks: readonly StatementCheck[]): string {
  if (checks.length === 0) return 'Nothing in the file can be checked'
  const disagreeing = checks.filter(({ agrees }) => !agrees)
  if (disagreeing.length === 0) return 'The file agrees with itself'
  return `The file disagrees with itself: ${disagreeing.slice(0, MOST_NAMED).map(sentenceOf).join('; ')}`
}

function sentenceOf({ name, line, stated, computed }: StatementCheck): string {
  const place = line === undefined ? name : `${name} in line ${line}`
  return stated === null || computed === null ? place : `${place} is ${stated}, computed ${computed}`
}
