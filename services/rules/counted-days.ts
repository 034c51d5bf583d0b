import type { Account, Traded } from './rule.ts'

interface CountedTrades {
  readonly day: 'opened' | 'closed'
  readonly since: 'stage' | 'last-payout'
  readonly from: number | null
}

/**
 * The days of trades, by number, with the day of this one: "each day on which a trade of the stage was opened counts, also
 * before the stage's first observation; with `last-payout` not before the payout" (rules.md).
 *
 * @param from No earlier day counts; null for any.
 */
export function withTradedDay(
  days: readonly number[],
  traded: Traded,
  { today, cycle }: Account,
  { day: on, since, from }: CountedTrades,
): readonly number[] {
  const opened = on === 'opened' ? traded.openedAt : null
  const day = opened ? opened.day : today
  // Most trades belong to the latest day.
  if (days.at(-1) === day || (from !== null && day < from) || days.includes(day)) return days
  const payout = since === 'last-payout' ? cycle.startedAt : null
  if (opened && payout && (opened.ms < payout.ms || (opened.ms === payout.ms && opened.ns < payout.ns))) return days
  return [...days, day]
}
