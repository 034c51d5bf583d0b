import type { BreachEvidence } from '#services/trading/accounts/account-api.ts'
import { evidenceLimitLabel } from '#services/trading/stream/account-vocabulary.ts'
import { formatLimit } from '@/format/money.ts'
import { breachRuleName } from '@/format/status.ts'

/**
 * The evidence of a breach in a line. What the rules of a programme found is a value of the account at a floor, or only
 * the name of a rule; staff write a loss against a limit.
 */
export function breachInWords(
  { rule, limit, value }: Pick<BreachEvidence, 'rule' | 'limit' | 'value'>,
  isFinding: boolean,
): string {
  if (isFinding && rule === 'other') return `${limit}: ${value}`
  const against = evidenceLimitLabel(rule, isFinding) === 'Floor' ? 'at the floor of' : 'against the limit'
  return `${breachRuleName(rule)}: ${formatLimit(value)} ${against} ${formatLimit(limit)}`
}
