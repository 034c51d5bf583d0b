import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { OwnAccount } from '#services/trading/accounts/account-api.ts'
import { formatLimit } from '@/format/money.ts'
import { Card } from '@/ui/card.tsx'
import type { AccountReads } from './account-reads.ts'
import { LedgerTable } from './ledger-table.tsx'
import { Overview } from './overview.tsx'
import { BalancePanel, type PanelProps, Performance } from './performance-panels.tsx'
import { ProgrammeOverview } from './programme-overview.tsx'
import { type LimitName, levelsOf } from './standing.ts'
import { TradesCard } from './trades-card.tsx'
import { TradingCalendar } from './trading-calendar.tsx'

/** What an account shows, alike to its trader and to staff. */

interface AccountViewProps extends Pick<PanelProps, 'range' | 'onRange'> {
  readonly account: OwnAccount
  readonly reads: AccountReads
}

interface OverviewOfAccountProps extends AccountViewProps {
  /** Where profit and loss are, without payouts. */
  readonly performanceLink: ReactNode
  /** Link to the reason of a limit. */
  readonly why?: (about: LimitName) => ReactNode
}

/** Where the account stands, its goals, its next payout, and its balance over time. */
export function OverviewOfAccount({ account, reads, performanceLink, why, ...chosen }: OverviewOfAccountProps) {
  const standing = useStanding(reads)
  const panel = usePanel(reads, chosen)
  const chart = (
    <BalancePanel
      {...panel}
      besidesTrading={<>Payouts and new phases change the balance; they are no losses. {performanceLink}</>}
    />
  )
  return account.programme ? (
    <ProgrammeOverview {...standing} account={account} chart={chart} />
  ) : (
    <Overview {...standing} account={account} chart={chart} {...(why && { why })} />
  )
}

interface PerformanceOfAccountProps extends AccountViewProps {
  /** The search parameter with the page of trades. */
  readonly cursor: 'cursor' | 'rows'
  /** The ledger as a file. */
  readonly ledgerFile: ReactNode
}

/** Results, rules, days, trades and the ledger. */
export function PerformanceOfAccount({ account, reads, cursor, ledgerFile, ...chosen }: PerformanceOfAccountProps) {
  const standing = useStanding(reads)
  const panel = usePanel(reads, chosen)
  const ledger = useQuery(reads.ledger)
  const isJudged = standing.standing?.rules.some(({ hits }) => hits !== undefined) ?? false
  const { dailyDrawdownLimit: daily, overallLossLimit: overall, profitTarget: target } = account
  return (
    <div className="flex flex-col gap-4">
      <Performance
        {...panel}
        programme={account.programme ? standing : undefined}
        limits={{ daily: formatLimit(daily), overall: formatLimit(overall), target: formatLimit(target) }}
      />
      {panel.history?.calendar && (
        <>
          <TradingCalendar calendar={panel.history.calendar} />
          <TradesCard read={reads.trades} cursor={cursor} isJudged={isJudged} />
        </>
      )}
      <Card title="Ledger" action={ledgerFile}>
        <LedgerTable ledger={ledger} />
      </Card>
    </div>
  )
}

function useStanding(reads: AccountReads) {
  const { data, isError, refetch } = useQuery(reads.standing)
  return { standing: data ?? (isError ? null : undefined), onRetry: () => void refetch() }
}

function usePanel(reads: AccountReads, chosen: Pick<PanelProps, 'range' | 'onRange'>): PanelProps {
  const history = useQuery(reads.history)
  const standing = useQuery(reads.standing)
  return {
    ...chosen,
    history: history.data ?? (history.isError ? null : undefined),
    now: Math.max(history.dataUpdatedAt, standing.dataUpdatedAt),
    levels: standing.data ? levelsOf(standing.data) : [],
    onRetry: () => void history.refetch(),
  }
}
