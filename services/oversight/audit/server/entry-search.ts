import { breachRuleLabels } from '#services/trading/stream/account-vocabulary.ts'
import { eventTitles, shownField, traderTitles } from '#services/oversight/event-catalogue.ts'
import type { AuditValue } from '../audit-api.ts'
import type { AuditEvent } from '../audit-event-api.ts'

/** Whether an event contains all words of a search, as people read it or as it is recorded. */
export function containsWords(entry: AuditEvent, search: string): boolean {
  const text = normalized(textsOf(entry).join('\n'))
  return normalized(search)
    .split(/\s+/)
    .every((word) => text.includes(word) || word.replace(/^#/, '') === `${entry.number}`)
}

function textsOf({ type, accountId, actor, changes, reason, evidence, requestId }: AuditEvent): string[] {
  return [
    type,
    eventTitles.get(type) ?? '',
    traderTitles.get(type) ?? '',
    accountId ?? '',
    actor.kind === 'admin' ? 'administrator' : actor.kind,
    actor.label,
    ...changes.flatMap(({ field, from, to }) => [field, ...valueTexts(field, from), ...valueTexts(field, to)]),
    reason ?? '',
    ...(evidence ? [breachRuleLabels[evidence.rule], evidence.limit, evidence.value] : []),
    requestId,
  ]
}

/** A value, and its words where it is one of a choice. */
function valueTexts(field: string, value: AuditValue): string[] {
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([name, one]) => valueTexts(`${field}.${name}`, one))
  const text = String(value ?? '')
  const shown = shownField(field)
  return [shown?.label ?? '', text, shown?.words?.[text] ?? '']
}

/** An amount is found as it is shown, '$4,400.00', and as it is recorded, '4400.00'. */
function normalized(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[$+]|(?<=\d),(?=\d{3})/g, '')
    .trim()
}
