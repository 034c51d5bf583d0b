import { valueOf } from '#services/rules/amount.ts'
import { shownFloor, shownLimit } from '#services/rules/floor.ts'
import { toCents } from '#services/rules/money.ts'
import type { RuleTerms } from '#services/rules/programme.ts'
import type { Account as Measured } from '#services/rules/rule.ts'
import { dateOf } from '#services/rules/day-terms.ts'
import type { FindingEvent } from './finding-events.ts'
import type { AccountOfFindings } from './finding.ts'
import { stageTermsOf } from './programme-stage.ts'
import { rulesOfStage, stageAt } from './stage.ts'

/** Traders hear that a limit is close while they can still act. Nothing is decided by it. */

/** A limit is close once a fifth of it is left: "close to a limit" (80 %). */
const PART_LEFT = 5

/**
 * Warns of the limits of which at most a fifth is left, each once in a trading day. Older days warn of nothing: only
 * what was observed today is news.
 *
 * @param now Ms since 1970.
 */
export function warnOfLimits({ account, stage, findings }: AccountOfFindings, now: number): FindingEvent[] {
  if (!account.open || account.status !== 'active' || !account.programme || !stage?.ofProgramme) return []
  const { days } = rulesOfStage(stage)
  const newest = stage.timeline.rows.findLast(({ source }) => typeof source === 'number')?.observation.at
  if (!newest || days.dayOf(newest.ms) < days.dayOf(now)) return []
  const { state, line } = stageAt(stage, now)
  const measured = state.account
  if (state.ended || !measured) return []
  const day = dateOf(measured.today)
  const terms = stageTermsOf(stage.terms, stage.index).rules
  return line.rules.flatMap(({ kind, state: found, figures: { floor, room } }, index): FindingEvent[] => {
    const rule = terms[index]
    if (!rule || !floor || room === undefined || found !== 'kept' || findings.warned.get(index) === day) return []
    const limit = limitOf(rule, measured)
    // A limit that follows the highest value is never less than of the account size.
    const least = limit ?? limitOf(rule, measured, measured.size)
    if (least === null || room * PART_LEFT > least) return []
    const figures = { limit: limit === null ? null : toCents(limit), floor: toCents(shownFloor(floor)) }
    return [{ type: 'LimitNeared', data: { rule: { index, kind }, day, ...figures, room: toCents(room) } }]
  })
}

/**
 * Returns the amount of a limit on losses, in cents as shown; null for another rule, and where it is a part of
 * something that moves with the account.
 *
 * @param whole What a percentage is of, where that is known.
 */
export function limitOf(terms: RuleTerms, account: Measured, whole = wholeOf(terms, account)): number | null {
  if (whole === null || (terms.kind !== 'maximum-loss' && terms.kind !== 'daily-loss')) return null
  return shownLimit(valueOf(terms.limit, whole), terms.touch)
}

function wholeOf(terms: RuleTerms, { size, dayStart, dayHighEquity }: Measured): number | null {
  const of = 'limit' in terms && 'of' in terms.limit ? terms.limit.of : 'account-size'
  switch (of) {
    case 'account-size':
      return size
    case 'day-start-balance':
      return dayStart.balance
    case 'day-start-equity':
      return dayStart.equity
    case 'day-start-higher':
      return Math.max(dayStart.balance, dayStart.equity)
    case 'day-high-equity':
      return dayHighEquity
    case 'high':
      return null
  }
}
