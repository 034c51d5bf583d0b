import type { Account, Traded } from './rule.ts'

/**
 * The days of trades, by number, with the day of this one. "`traded`, `day`: `opened` | `closed`" (rules.md). A trade
 * that was opened before the stage, or before the payout from which days count, adds none.
 */
export function withTradedDay(
  days: readonly number[],
  traded: Traded,
  { today, openedOn, cycle }: Account,
  { day: on, since }: { readonly day: 'opened' | 'closed'; readonly since: 'stage' | 'last-payout' },
): readonly number[] {
  const opened = on === 'opened' ? traded.openedAt : null
  const day = opened ? opened.day : today
  // Most trades belong to the latest day.
  if (days.at(-1) === day || day < openedOn || days.includes(day)) return days
  const payout = since === 'last-payout' ? cycle.startedAt : null
  if (opened && payout && (opened.ms < payout.ms || (opened.ms === payout.ms && opened.ns < payout.ns))) return days
  return [...days, day]
}
