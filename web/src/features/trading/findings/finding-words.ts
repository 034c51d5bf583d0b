import { centsOf } from '#services/rules/money.ts'
import { ruleKindLabels } from '#services/rules/rule-kind-labels.ts'
import type { Finding } from '#services/trading/findings/finding-api.ts'
import { findingKindLabels } from '#services/trading/stream/finding-vocabulary.ts'
import { measuredInWords } from '#services/trading/stream/finding-figures.ts'

/** Findings in words. */

/** The name of the rule: "Maximum loss". */
export function ruleName({ rule }: Pick<Finding, 'rule'>): string {
  return ruleKindLabels[rule.kind] ?? rule.kind
}

/**
 * "Breach: Maximum loss, $89,900.00 is $100.00 below the floor of $90,000.00", "Breach: Holding time. Trade 881 of EURUSD
 * was held for 41 s; at least 60 s".
 */
export function findingText(finding: Pick<Finding, 'kind' | 'rule' | 'floor' | 'measured' | 'trade'>): string {
  const { kind, floor, measured, trade } = finding
  const name = `${findingKindLabels[kind]}: ${ruleName(finding)}`
  if (trade !== null) return `${name}. ${trade}`
  if (floor === null || measured === null) return name
  return `${name}, ${measuredInWords(kind, centsOf(measured), centsOf(floor))}`
}
