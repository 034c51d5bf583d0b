import type { AuditFact, AuditValue } from '../../contract/index.ts'

/** Facts as lines of a table. */

export const factColumns = ['Number', 'Time', 'Type', 'User ID', 'Actor', 'Actor Name', 'Changes', 'Reason', 'Request ID']

export function factRow({ number, at, type, userId, actor, changes, reason, requestId }: AuditFact): string[] {
  const changed = changes.map(({ field, from, to }) => `${field}: ${inWords(from)} → ${inWords(to)}`).join('; ')
  return [String(number), at, type, userId ?? '', actor.kind, actor.label, changed, reason ?? '', requestId]
}

function inWords(value: AuditValue): string {
  if (value === null) return 'none'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
