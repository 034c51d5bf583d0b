import type { BreachRule } from '../../../services/api/breach-schemas.ts'

/** The rules that an account can break, and what a person reads for each (specification §3, §9). */
export const breachRules: readonly { readonly value: BreachRule; readonly label: string }[] = [
  { value: 'daily-drawdown', label: 'Daily Drawdown' },
  { value: 'overall-loss', label: 'Overall Loss' },
  { value: 'profit-target', label: 'Profit Target' },
  { value: 'other', label: 'Another rule' },
]

/** Daily Drawdown, Overall Loss, Profit Target or Another rule. */
export function breachRuleLabel(rule: BreachRule): string {
  return breachRules.find(({ value }) => value === rule)?.label ?? rule
}
