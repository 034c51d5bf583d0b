import type { OwnAccount, AccountHistory } from '#services/modules/accounts/account-api.ts'
import { beginningOfDay, centsOf, isAmount, limitOf, profitProgress } from './room-left.ts'
import { lossOfDay, type PaidOut, tradingSteps } from './trading-results.ts'

/**
 * Where an account ends, as far as its records say: pure functions of the server's answers. Whole cents; times in ms.
 */

/** The balance at which a limit is broken, and how far the account is from it. */
export interface AccountEnd {
  readonly at: number
  readonly away: number
}

export interface AccountEnds {
  /** The balance that the current phase began with, and when; undefined before the first money. */
  readonly began: { readonly at: number; readonly balance: number } | undefined
  /** Lost today by trading, negative for a gain. */
  readonly lostToday: number
  /** Balance and profit/loss agree with the balance that the phase began with. */
  readonly agrees: boolean
  /** Undefined when the records don't determine it. */
  readonly daily: AccountEnd | undefined
  readonly overall: AccountEnd | undefined
  /** The balance at which the profit target is reached. */
  readonly target: number | undefined
}

type Recorded = Pick<OwnAccount, 'balance' | 'profitLoss' | 'dailyDrawdownLimit' | 'overallLossLimit' | 'profitTarget'>

/**
 * A loss limit counts the loss since the phase began (specification §2, §9), which the account records as its
 * profit/loss; the daily limit counts from the balance at midnight UTC. Payouts are no loss. So the account ends
 * - overall at the balance that the phase began with, minus the limit: said only when the recorded balance and
 *   profit/loss agree with that balance;
 * - today at the balance at midnight without what was paid out since, minus the limit: said only when the history
 *   includes the present balance.
 *
 * A limit in other words than an amount or a percentage ('10%, trailing') says nothing about where the account ends.
 */
export function endsOf(
  account: Recorded,
  history: AccountHistory,
  paidOut: readonly PaidOut[],
  now: number,
): AccountEnds {
  const steps = tradingSteps(history, paidOut)
  const began = beginningOfPhase(history)
  const lostToday = lossOfDay(steps, now)
  const [balance, profit] = [centsOf(account.balance), centsOf(account.profitLoss)]
  const known = isAmount(account.balance) && isAmount(account.profitLoss)
  const agrees = known && began !== undefined && balance - profit === began.balance
  const includesNow = known && steps.at(-1)?.balance === balance
  const endAt = (from: number, text: string | null): AccountEnd | undefined => {
    const limit = limitOf(text?.trim() ?? '', began?.balance)
    return limit === undefined || limit >= from
      ? undefined
      : { at: from - limit, away: Math.max(0, balance - from + limit) }
  }
  const target = profitProgress(account.profitLoss, account.profitTarget, began?.balance)?.target
  return {
    began,
    lostToday,
    agrees,
    daily: includesNow ? endAt(balance + lostToday, account.dailyDrawdownLimit) : undefined,
    overall: agrees ? endAt(began.balance, account.overallLossLimit) : undefined,
    target: agrees && target ? began.balance + target : undefined,
  }
}

/** The balance set together with the newest phase, else the first money. */
function beginningOfPhase({ points, markers }: AccountHistory): AccountEnds['began'] {
  const phases = new Set(markers.flatMap(({ type, at }) => (type === 'PhaseChanged' ? [Date.parse(at)] : [])))
  const funded = points.flatMap(({ at, balance }) =>
    isAmount(balance) && centsOf(balance) > 0 ? [{ at: Date.parse(at), balance: centsOf(balance) }] : [],
  )
  return funded.findLast(({ at }) => phases.has(at)) ?? funded[0]
}

/** A level that the chart draws from a moment on. */
export interface Level {
  readonly label: string
  readonly cents: number
  readonly from: number
  readonly tone: 'good' | 'bad'
}

/** The levels of the current phase: both limits and the target, where known. */
export function levelsOf({ began, daily, overall, target }: AccountEnds, now: number): readonly Level[] {
  const level = (
    label: string,
    cents: number | undefined,
    from: number | undefined,
    tone: Level['tone'],
  ): readonly Level[] => (cents === undefined || from === undefined ? [] : [{ label, cents, from, tone }])
  return [
    ...level('Profit Target', target, began?.at, 'good'),
    ...level('Daily Drawdown', daily?.at, beginningOfDay(now), 'bad'),
    ...level('Maximum Loss', overall?.at, began?.at, 'bad'),
  ]
}
