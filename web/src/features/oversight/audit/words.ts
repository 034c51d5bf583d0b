import type { AuditActor, AuditChange, AuditEvent } from '#services/oversight/audit/audit-event-api.ts'
import type { BreachEvidence } from '#services/trading/accounts/account-api.ts'
import { ERASED } from '#services/event-sourcing/erased.ts'
import { HIDDEN } from '#services/framework/api/text.ts'
import {
  type ItemField,
  partsOfPath,
  type Scalar,
  type ShownField,
  type ShownRecord,
  type ValueKind,
} from '#services/framework/shown-state.ts'
// oxlint-disable-next-line no-restricted-imports -- this loads with the pages of the history only
import { eventTitles, shownField, shownObjects, traderTitles } from '#services/oversight/event-catalogue.ts'
import { countryName } from '@/format/countries.ts'
import { formatDate } from '@/format/dates.ts'
import { formatLimit, formatMoney, formatProfit } from '@/format/money.ts'
import { breachRuleName, type StatusLabel } from '@/format/status.ts'
import { accountLabel } from '@/format/account-name.ts'

/** Events in plain words. */

/** The title of a type of event for its reader; a type that this page does not know yet reads as its own name. */
export function titleOf(type: string, reader: Audience = 'auditor'): string {
  const own = reader === 'trader' ? traderTitles.get(type) : undefined
  return (
    own ??
    eventTitles.get(type) ??
    `${type.charAt(0)}${type.slice(1).replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)}`
  )
}

type Format = (text: string) => string

/** How each kind of value is written; words of a choice come first. */
const formats: Readonly<Record<ValueKind, Format>> = {
  text: (text) => text,
  choice: (text) => text,
  status: (text) => text,
  money: formatMoney,
  profit: formatProfit,
  limit: (text) => formatLimit(text) ?? NOT_SET,
  time: (text) => formatDate(text, 'exact'),
  day: (text) => formatDate(text, 'date'),
  country: countryName,
  // Only that there is one.
  secret: () => HIDDEN,
}

/** The label of a field, by its path. */
export function labelOf(path: string): string {
  return shownField(path)?.label ?? partsOfPath(path).name
}

/** Shown where nothing is set. */
export const NOT_SET = 'not set'

/** Formats the value of a field, as people read it. */
export function formatValue(path: string, value: Scalar): string {
  return formatAs(shownField(path) ?? { kind: 'text' }, value)
}

/** A value as its field is written. What was erased is shown as erased, of any kind. */
export function formatAs({ kind, words, unset = NOT_SET }: Omit<ShownField, 'label'>, value: Scalar): string {
  if (value === null || value === '') return unset
  if (value === ERASED) return value
  return words?.[String(value)] ?? formats[kind](String(value))
}

/** A status with its colour; one that this page does not know is shown as it is. */
export function statusLabel({ words, tones }: ShownField, value: Scalar): StatusLabel {
  const status = String(value ?? '')
  return { label: words?.[status] ?? (status || 'Unknown'), tone: tones?.[status] ?? 'plain' }
}

/** One field of an event in words. Without `from` the whole object was added. */
export interface ChangeDescription {
  /** The path of the field. */
  readonly field: string
  readonly label: string
  readonly from?: string
  readonly to: string
}

/** The changes of an event. An object added as a whole is shown field by field, without its empty fields. */
export function describeChanges(changes: readonly AuditChange[]): readonly ChangeDescription[] {
  return changes.flatMap(({ field, from, to }): readonly ChangeDescription[] => {
    if (typeof to === 'object' && to !== null) return addedFields(field, to)
    const label = labelOf(field)
    if (typeof from === 'object' && from !== null) return [{ field, label, from: 'present', to: 'removed' }]
    const [before, after] = [formatValue(field, from), formatValue(field, to)]
    // A value that reads the same before and after says nothing: of a secret, only that there is one.
    const shown = shownField(field)
    if (before === after && shown?.kind !== 'secret') return []
    const isNew = (from === null && shown?.ofAction) || to === shown?.begins || before === after
    return [{ field, label, ...(!isNew && { from: before }), to: after }]
  })
}

function addedFields(path: string, value: ShownRecord): readonly ChangeDescription[] {
  return Object.entries(value).flatMap(([name, one]) => {
    const field = `${path}.${name}`
    return name === 'id' || isHiddenInObject(field) || one === null || one === ''
      ? []
      : [{ field, label: labelOf(field), to: formatValue(field, one) }]
  })
}

function isHiddenInObject(path: string): boolean {
  const field: Partial<ItemField> | undefined = shownField(path)
  return field?.hiddenInObject === true
}

/** Which payout or certificate an event is about, by the end of its id, and if asked which account: 'Account 2, p1'. */
export function subjectOf(
  { accountId, changes }: Pick<AuditEvent, 'accountId' | 'changes'>,
  namesAccount: boolean,
): string {
  const account = namesAccount && accountId !== null ? accountLabel(accountId) : undefined
  const [object = '', id] = changes[0]?.field.split('.') ?? []
  return [account, shownObjects[object]?.form === 'list' && id !== undefined ? endOf(id) : undefined]
    .filter(Boolean)
    .join(', ')
}

/** The end of an id, which tells one item of an account from another: 'p2'. */
export function endOf(id: string): string {
  return id.split('-').at(-1) ?? id
}

/** Formats the evidence of a breach. */
export function formatEvidence({ rule, limit, value, occurredAt }: BreachEvidence): string {
  return `${breachRuleName(rule)}: ${formatLimit(value)} against ${formatLimit(limit)}, ${formatDate(occurredAt, 'exact')}`
}

/** The reader: an auditor sees names, a trader does not. */
export type Audience = 'auditor' | 'trader'

/** Who did something: its word, and what tells one of them from another. */
export function describeActor(
  { kind, label }: AuditActor,
  reader: Audience,
): { readonly word: string; readonly name: string | undefined } {
  if (kind === 'system') return { word: 'Proofdesk', name: label === 'system' || label === '' ? undefined : label }
  if (kind === 'program')
    return {
      word: reader === 'trader' ? "The firm's system" : 'Program',
      name: reader === 'trader' ? undefined : label,
    }
  if (kind === 'trader') return { word: reader === 'trader' ? 'You' : 'The trader', name: undefined }
  return { word: 'Administrator', name: reader === 'trader' ? undefined : label }
}

/** For traders: what tells one administrator from another, a hash. Undefined for anyone else. */
export function markOf({ kind, label }: AuditActor): string | undefined {
  return kind === 'admin' ? /^admin ([0-9a-f]+)$/.exec(label)?.[1] : undefined
}
