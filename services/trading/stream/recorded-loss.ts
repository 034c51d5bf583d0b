import { Refused } from '#services/event-sourcing/refusal.ts'
import { type Cents, parseMoney, inDollars } from '#services/rules/money.ts'
import type { BreachEvidence } from './decision-reason.ts'
import { parseLimit } from './limit-text.ts'
import type { RiskLimits } from './risk-limits.ts'
import { type BalanceChange, balanceSteps, dayInUtc, resultOf, type Step, stepsOfPhase } from './trading-results.ts'

/** A breach that staff type is compared with what the account traded. */

const compared: Partial<Record<BreachEvidence['rule'], { limit: keyof RiskLimits; when: string }>> = {
  'daily-drawdown': { limit: 'dailyDrawdownLimit', when: 'on that day (UTC)' },
  'overall-loss': { limit: 'overallLossLimit', when: 'in this phase' },
}

/**
 * Refuses a loss that is more than the record says, or that the limit allows by the record. Where nothing was traded
 * there is nothing to compare, unless staff say that the record shows it.
 *
 * @throws {Refused} conflict
 */
export function assertOnRecord(
  changes: readonly BalanceChange[],
  limits: RiskLimits,
  { rule, value, occurredAt }: BreachEvidence,
  isSaidToShow = false,
): void {
  const of = compared[rule]
  if (!of) return
  const traded = stepsOf(rule, balanceSteps(changes), occurredAt).filter(({ kind }) => kind === 'trade-result')
  if (traded.length === 0 && !isSaidToShow) return
  const lost = Math.max(0, -traded.reduce((sum, step) => sum + resultOf(step), 0))
  const limit = parseLimit(limits[of.limit])?.amount ?? null
  const typed = amountIn(value)
  const isMore = typed !== null && typed > lost
  const isAllowed = limit !== null && lost < limit
  if (!isMore && !isAllowed && (lost > 0 || !isSaidToShow)) return
  const said = `The record says ${inDollars(lost)} lost ${of.when}`
  const ofLimit = limit === null ? '' : `, of a limit of ${inDollars(limit)}`
  throw new Refused('conflict', `${said}${ofLimit}. Look at the trades again.`, 'evidence.value')
}

function stepsOf(rule: BreachEvidence['rule'], steps: readonly Step[], occurredAt: number): readonly Step[] {
  if (rule === 'overall-loss') return stepsOfPhase(steps)
  return steps.filter(({ at }) => dayInUtc(at) === dayInUtc(occurredAt))
}

/** The first amount of a text: "-$2,510.00 on the day". */
function amountIn(text: string): Cents | null {
  const [, dollars = '', fraction = ''] = /\$\s*(\d{1,3}(?:,\d{3})+|\d+)(\.\d{1,2})?/.exec(text) ?? []
  return (dollars === '' ? undefined : parseMoney(dollars.replaceAll(',', '') + fraction)) ?? null
}
