import type { AuditChange, AuditEvent } from '#services/oversight/audit/audit-event-api.ts'
// oxlint-disable-next-line no-restricted-imports -- this loads with the pages of the history only
import { dayTitles, shownField } from '#services/oversight/event-catalogue.ts'
import { formatDate } from '@/format/dates.ts'

/** One line of a timeline: an entry, or all entries of an account and a day that stand under one title. */
export type TimelineLine<Entry extends DayEntry = AuditEvent> = { readonly entry: Entry } | DayLine<Entry>

/** An entry is grouped by these fields. */
type DayEntry = Pick<AuditEvent, 'type' | 'accountId' | 'at' | 'changes'>

export interface DayLine<Entry = AuditEvent> {
  /** 'Trading of the day' */
  readonly title: string
  /** The newest first. */
  readonly ofDay: readonly [Entry, ...Entry[]]
}

/**
 * Takes those of each account and day together that have a title for it, where their newest is; what moves money
 * otherwise, such as a deposit, stands between them on its own. The newest is first.
 */
export function linesOf<Entry extends DayEntry>(entries: readonly Entry[]): readonly TimelineLine<Entry>[] {
  const days = new Map<string, Entry[]>()
  const groups = new Map<Entry, string>()
  const movements = new Map<string | null, number>()
  for (const entry of entries) {
    const { type, accountId } = entry
    const moved = movements.get(accountId) ?? 0
    if (isMovement(entry)) movements.set(accountId, moved + 1)
    else if (dayTitles.has(type)) {
      const group = `${dayTitles.get(type)} ${accountId} ${dayOf(entry)} ${moved}`
      groups.set(entry, group)
      days.set(group, [...(days.get(group) ?? []), entry])
    }
  }
  return entries.flatMap((entry): readonly TimelineLine<Entry>[] => {
    const title = dayTitles.get(entry.type)
    const [newest, ...others] = days.get(groups.get(entry) ?? '') ?? []
    if (title === undefined || !newest || others.length === 0) return [{ entry }]
    return newest === entry ? [{ title, ofDay: [newest, ...others] }] : []
  })
}

/** Whether it moves the balance and is no trading: a payout, or an entry that names its kind. */
function isMovement({ type, changes }: DayEntry): boolean {
  const names = changes.map(({ field }) => field)
  return names.includes('account.balance') && (!dayTitles.has(type) || names.includes('account.entry'))
}

/** The day of an entry where it is read. */
export function dayOf({ at }: Pick<AuditEvent, 'at'>): string {
  return formatDate(at, 'date')
}

/**
 * From what to what each field changed over several entries, the newest first; in the order in which they changed. What
 * belongs to one action, such as how many observations it recorded, is left out where there are several.
 */
export function changesOver(entries: readonly Pick<AuditEvent, 'changes'>[]): readonly AuditChange[] {
  const changes = new Map<string, AuditChange>()
  const ofSeveral = new Set<string>()
  for (const change of entries.toReversed().flatMap((entry) => entry.changes)) {
    const earlier = changes.get(change.field)
    if (earlier && shownField(change.field)?.ofAction) ofSeveral.add(change.field)
    changes.set(change.field, { ...change, from: (earlier ?? change).from })
  }
  return [...changes.values()].filter(({ field }) => !ofSeveral.has(field))
}
