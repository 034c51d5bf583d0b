import { breachRuleLabels } from '#services/trading/stream/account-vocabulary.ts'
import type { Columns } from '#services/identity/staff/server/list-download.ts'
import { eventTitles } from '#services/oversight/event-catalogue.ts'
import type { AuditValue } from '../audit-api.ts'
import type { AuditChange, AuditEvent } from '../audit-event-api.ts'

/** A row for each field that an event changed, so that a spreadsheet can filter by any of them; one for an event without. */
interface AuditCsvRow {
  readonly entry: AuditEvent
  readonly change: FieldOfChange | undefined
}

interface FieldOfChange {
  readonly field: string
  readonly from: string
  readonly to: string
}

/** The columns of the audit's CSV files. */
export const auditCsvColumns: Columns<AuditCsvRow> = {
  Number: ({ entry }) => String(entry.number),
  Time: ({ entry }) => entry.at,
  Type: ({ entry }) => entry.type,
  Event: ({ entry }) => eventTitles.get(entry.type) ?? '',
  'User ID': ({ entry }) => entry.userId ?? '',
  Account: ({ entry }) => entry.accountId ?? '',
  Actor: ({ entry }) => entry.actor.kind,
  'Actor Name': ({ entry }) => entry.actor.label,
  Field: ({ change }) => change?.field ?? '',
  From: ({ change }) => change?.from ?? '',
  To: ({ change }) => change?.to ?? '',
  Reason: ({ entry }) => entry.reason ?? '',
  'Evidence Rule': ({ entry: { evidence } }) => (evidence ? breachRuleLabels[evidence.rule] : ''),
  'Evidence Limit': ({ entry }) => entry.evidence?.limit ?? '',
  'Evidence Value': ({ entry }) => entry.evidence?.value ?? '',
  'Evidence Time': ({ entry }) => entry.evidence?.occurredAt ?? '',
  Corrects: ({ entry }) => entry.corrects?.toString() ?? '',
  'Request ID': ({ entry }) => entry.requestId,
}

export function auditCsvRows(entries: readonly AuditEvent[]): AuditCsvRow[] {
  return entries.flatMap((entry) => {
    const changes = entry.changes.flatMap(fieldsOf)
    return (changes.length > 0 ? changes : [undefined]).map((change) => ({ entry, change }))
  })
}

/** An item that was added or removed as a whole has a row for each of its fields. */
function fieldsOf({ field, from, to }: AuditChange): FieldOfChange[] {
  if (!isObject(from) && !isObject(to)) return [{ field, from: textOf(from), to: textOf(to) }]
  const [before, after] = [from, to].map((value) => (isObject(value) ? value : {}))
  return Object.keys({ ...before, ...after }).map((name) => ({
    field: `${field}.${name}`,
    from: textOf(before?.[name] ?? null),
    to: textOf(after?.[name] ?? null),
  }))
}

type Scalar = Exclude<AuditValue, object>

function isObject(value: AuditValue): value is Readonly<Record<string, Scalar>> {
  return typeof value === 'object' && value !== null
}

function textOf(value: Scalar): string {
  return value === null ? '' : String(value)
}
