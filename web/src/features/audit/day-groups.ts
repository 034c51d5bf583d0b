import type { AuditFact } from '#services/modules/audit/audit-api.ts'
import { formatDate } from '@/format/dates.ts'

/** One line of a timeline: an entry, or all changes of an account's balance and profit of a day. */
export type TimelineLine = { readonly entry: AuditFact } | { readonly balances: readonly [AuditFact, ...AuditFact[]] }

const isBalance = ({ type }: AuditFact) => type === 'BalanceChanged' || type === 'ProfitLossChanged'

/**
 * Takes the changes of balance and profit of each account and day together, where its newest is. Entries are the newest
 * first.
 */
export function linesOf(entries: readonly AuditFact[]): readonly TimelineLine[] {
  const balances = new Map<string, AuditFact[]>()
  const groupOf = (entry: AuditFact) => `${entry.accountId} ${dayOf(entry)}`
  for (const entry of entries)
    if (isBalance(entry)) balances.set(groupOf(entry), [...(balances.get(groupOf(entry)) ?? []), entry])
  return entries.flatMap((entry): readonly TimelineLine[] => {
    const [newest, ...others] = isBalance(entry) ? (balances.get(groupOf(entry)) ?? []) : []
    if (!newest || others.length === 0) return [{ entry }]
    return newest === entry ? [{ balances: [newest, ...others] }] : []
  })
}

/** The day of an entry where it is read. */
export function dayOf({ at }: Pick<AuditFact, 'at'>): string {
  return formatDate(at, 'words')
}

/** From what to what a field changed over several entries, the newest first; undefined where none changed it. */
export function changeOver(
  entries: readonly AuditFact[],
  field: string,
): { readonly from: string; readonly to: string } | undefined {
  const changes = entries.flatMap((entry) => entry.changes.filter((change) => change.field === field))
  const [last, first] = [changes[0], changes.at(-1)]
  return last && first ? { from: String(first.from), to: String(last.to) } : undefined
}
