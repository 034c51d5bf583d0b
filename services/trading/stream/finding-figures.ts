import { type Cents, inDollars } from '#services/rules/money.ts'
import type { FindingKind } from './finding-vocabulary.ts'

/** "$89,900.00 is $100.00 below the floor of $90,000.00": what was measured beside what it had to stay above, or reach. */
export function measuredInWords(kind: FindingKind, measured: Cents, level: Cents): string {
  const name = kind === 'breach' ? 'floor' : 'target'
  const by = Math.abs(measured - level)
  const side = measured < level ? 'below' : 'above'
  const place = by === 0 ? `at the ${name}` : `is ${inDollars(by)} ${side} the ${name}`
  return `${inDollars(measured)} ${place} of ${inDollars(level)}`
}
