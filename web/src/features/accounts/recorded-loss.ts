import { useQuery } from '@tanstack/react-query'
import type { AccountHistory } from '#services/modules/accounts/account-api.ts'
import type { UserDetails } from '#services/modules/users/user-api.ts'
import { formatCents } from '@/format/money.ts'
import { centsOf, endOfDay } from './room-left.ts'
import { lossOfDay, type PaidOut, paidOutOf, tradingSteps } from './trading-results.ts'
import { payoutsOfUser } from '@/features/payouts/staff-payout-queries.ts'
import { userHistoryQuery } from './staff-account-queries.ts'

export interface RecordedLoss {
  /**
   * The loss on record for a rule, as the evidence of a breach says it; empty where there is none. `at` is in ms, NaN
   * means now.
   */
  readonly of: (rule: string, at: number) => string
  /** When the balance last changed, in ms; undefined where that is unknown. */
  readonly lastChangeAt: number | undefined
}

/** Reads what an account lost, once a breach is asked about. Nothing is known before the answers, or of a new user. */
export function useRecordedLoss(user: UserDetails | undefined, enabled: boolean): RecordedLoss {
  const id = user?.id ?? ''
  const account = user?.tradingAccount?.id
  const history = useQuery({ ...userHistoryQuery(id, account), enabled: enabled && user !== undefined })
  const payouts = useQuery({ ...payoutsOfUser(id), enabled: enabled && user !== undefined })
  const last = history.data?.points.at(-1)?.at
  const of: RecordedLoss['of'] = (rule, at) => {
    if (rule === 'overall-loss') return asLoss(-centsOf(user?.tradingAccount?.profitLoss), 'in total')
    if (rule !== 'daily-drawdown' || !history.data || !payouts.data) return ''
    return asLoss(
      lossOn(
        history.data,
        paidOutOf(payouts.data.filter(({ accountId }) => accountId === account)),
        Number.isNaN(at) ? Date.now() : at,
      ),
      'on the day (UTC)',
    )
  }
  return { of, lastChangeAt: last === undefined ? undefined : Date.parse(last) }
}

function lossOn(history: AccountHistory, paidOut: readonly PaidOut[], at: number): number {
  const steps = tradingSteps(history, paidOut).filter((step) => step.at < endOfDay(at))
  return lossOfDay(steps, at)
}

function asLoss(lost: number, when: string): string {
  return lost > 0 ? `${formatCents(-lost)} ${when}` : ''
}
