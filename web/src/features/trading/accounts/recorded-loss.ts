import type { UserDetails } from '#services/trading/traders/trader-api.ts'
import { useQuery } from '@tanstack/react-query'
import { formatMoney } from '@/format/money.ts'
import { standingOfAccount, userHistoryQuery } from './staff-account-queries.ts'
import { ruleOf } from './standing.ts'

export interface RecordedLoss {
  /**
   * The loss on record for a rule, as the server says it, in the words of a breach's evidence; empty where there is
   * none. `at` is in ms, NaN means now; what was lost overall is always as of now.
   */
  readonly of: (rule: string, at: number) => string
  /** When the balance last changed, in ms; undefined where that is unknown. */
  readonly lastChangeAt: number | undefined
}

/** Reads what an account lost, once a breach is asked about. Nothing is known before the answer, or of a new user. */
export function useRecordedLoss(user: UserDetails | undefined, enabled: boolean): RecordedLoss {
  const account = user?.tradingAccount?.id
  const isAsked = enabled && account !== undefined
  const history = useQuery({ ...userHistoryQuery(user?.id ?? '', account), enabled: isAsked })
  const standing = useQuery({ ...standingOfAccount(account ?? ''), enabled: isAsked })
  const last = history.data?.points.at(-1)?.at
  const of: RecordedLoss['of'] = (rule, at) => {
    if (rule === 'overall-loss') {
      const lost = standing.data && ruleOf(standing.data, 'overallLossLimit')?.lost
      return asLoss(lost && `-${lost}`, 'in total')
    }
    if (rule !== 'daily-drawdown') return ''
    const moment = Number.isNaN(at) ? Date.now() : at
    const { days, calendar } = history.data ?? {}
    if (calendar) {
      const day = calendar.days.find(
        ({ startsAt, endsAt }) => Date.parse(startsAt) <= moment && moment < Date.parse(endsAt),
      )
      return asLoss(day?.result, `on the trading day (${calendar.zone})`)
    }
    const date = new Date(moment).toISOString().slice(0, 10)
    return asLoss(days?.find((day) => day.date === date)?.result, 'on the day (UTC)')
  }
  return { of, lastChangeAt: last === undefined ? undefined : Date.parse(last) }
}

function asLoss(result: string | null | undefined, when: string): string {
  return Number(result) < 0 ? `${formatMoney(result)} ${when}` : ''
}
