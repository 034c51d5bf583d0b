import type { AuditFact, AuditValue } from '../audit-api.ts'
import type { BreachEvidence } from '#services/modules/accounts/account-api.ts'
import { breachRuleLabels } from '#services/modules/accounts/account-vocabulary.ts'

/** Events as rows of a CSV file. */

export const auditEntryColumns = [
  'Number',
  'Time',
  'Type',
  'User ID',
  'Account',
  'Actor',
  'Actor Name',
  'Changes',
  'Reason',
  'Evidence',
  'Corrects',
  'Request ID',
]

export function auditEntryRow({
  number,
  at,
  type,
  userId,
  accountId,
  actor,
  changes,
  reason,
  evidence,
  corrects,
  requestId,
}: AuditFact): string[] {
  const changed = changes.map(({ field, from, to }) => `${field}: ${formatValue(from)} → ${formatValue(to)}`).join('; ')
  return [
    String(number),
    at,
    type,
    userId ?? '',
    accountId ?? '',
    actor.kind,
    actor.label,
    changed,
    reason ?? '',
    evidence ? formatEvidence(evidence) : '',
    corrects === undefined ? '' : `#${corrects}`,
    requestId,
  ]
}

/** 'Daily Drawdown: -$512.40 against 5% / $500, 2026-03-03T14:07:00.000Z' */
export function formatEvidence({ rule, limit, value, occurredAt }: BreachEvidence): string {
  return `${breachRuleLabels[rule]}: ${value} against ${limit}, ${occurredAt}`
}

function formatValue(value: AuditValue): string {
  if (value === null) return 'none'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
