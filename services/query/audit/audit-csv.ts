import { type AuditFact, type AuditValue, type BreachEvidence, breachRuleLabels } from '../../api/index.ts'

/** Facts as lines of a table. */

export const factColumns = ['Number', 'Time', 'Type', 'User ID', 'Actor', 'Actor Name', 'Changes', 'Reason', 'Evidence', 'Corrects', 'Request ID']

export function factRow({ number, at, type, userId, actor, changes, reason, evidence, corrects, requestId }: AuditFact): string[] {
  const changed = changes.map(({ field, from, to }) => `${field}: ${inWords(from)} → ${inWords(to)}`).join('; ')
  return [
    String(number),
    at,
    type,
    userId ?? '',
    actor.kind,
    actor.label,
    changed,
    reason ?? '',
    evidence ? evidenceInWords(evidence) : '',
    corrects === undefined ? '' : `#${corrects}`,
    requestId,
  ]
}

/** 'Daily Drawdown: -$512.40 against 5% / $500, 2026-03-03T14:07:00.000Z' */
export function evidenceInWords({ rule, limit, value, occurredAt }: BreachEvidence): string {
  return `${breachRuleLabels[rule]}: ${value} against ${limit}, ${occurredAt}`
}

function inWords(value: AuditValue): string {
  if (value === null) return 'none'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
