import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { ComponentType, ReactNode } from 'react'
import type { OwnAccount } from '#services/trading/accounts/account-api.ts'
import type { Standing } from '#services/trading/accounts/standing-api.ts'
import { formatLimit } from '@/format/money.ts'
import { AccountStatusBadge, Badge } from '@/ui/badge.tsx'
import { Button } from '@/ui/button.tsx'
import { ButtonLink, TextLink, DownloadLink } from '@/ui/link.tsx'
import { PageHeader } from '@/ui/page-header.tsx'
import { ErrorState } from '@/ui/states.tsx'
import { Tabs } from '@/ui/tabs.tsx'
import { DecisionStamp } from '@/ui/text.tsx'
import { UnacceptedTerms } from '@/features/trading/enrolments/unaccepted-terms.tsx'
import { userQuery } from '@/features/frame/session-queries.ts'
import { AccountDetails } from './account-details.tsx'
import { useChosenAccount } from './chosen-account.ts'
import { BreachNotice } from './breach-notice.tsx'
import { DashboardSkeleton } from './dashboard-skeleton.tsx'
import { FirstSteps, LoginFollows, needsFirstSteps, waitsForLogin } from './first-steps.tsx'
import { Overview } from './overview.tsx'
import { DecidedByPerson } from './decided-by-person.tsx'
import { ProgrammeOverview } from './programme-overview.tsx'
import { TradesCard } from './trades-card.tsx'
import { TradingCalendar } from './trading-calendar.tsx'
import { BalancePanel, type PanelProps, Performance } from './performance-panels.tsx'
import { accountQuery, historyQuery, standingQuery } from './account-queries.ts'
import { levelsOf } from './standing.ts'
import { WhyLink } from './why-link.tsx'
import type { WhySubject } from './why-subjects.ts'
import { ledgerRoutes } from '#services/trading/ledger/ledger-api.ts'
import { addressOf } from '@/api/api.ts'
import { Card } from '@/ui/card.tsx'
import { ownLedgerQuery, LedgerTable } from './ledger-table.tsx'

const route = getRouteApi('/_trader/')

interface DashboardPageProps {
  /** Explains a decision about the account, over the page. */
  readonly WhyDialog: ComponentType<{
    readonly account: OwnAccount
    readonly about: WhySubject
    readonly onClose: () => void
  }>
}

/** The trader's account: room left, performance, and access to the platform (specification §2). */
export function DashboardPage({ WhyDialog }: DashboardPageProps): ReactNode {
  const { tab = 'overview', range = 'all', why } = route.useSearch()
  const { named, accounts } = useChosenAccount()
  const navigate = route.useNavigate()
  const account = useQuery(accountQuery(named))
  const history = useQuery(historyQuery(named))
  const standing = useQuery(standingQuery(named))
  const { data: user } = useQuery(userQuery)
  const title = `${firstName(user?.fullName)}'s Dashboard`

  if (account.isPending) return <DashboardSkeleton title={title} />
  if (!account.data)
    return (
      <>
        <PageHeader title={title} />
        <ErrorState title="Error Loading Dashboard" action={<Button onClick={() => location.reload()}>Retry</Button>}>
          Failed to load trading account data. Please try again later.
        </ErrorState>
      </>
    )

  const { dailyDrawdownLimit: daily, overallLossLimit: overall, profitTarget: target } = account.data
  const breached = account.data.status === 'breached'
  const panel: PanelProps = {
    history: history.data ?? (history.isError ? null : undefined),
    range,
    onRange: (chosen) =>
      void navigate({
        search: (before) => ({ ...before, range: chosen === 'all' ? undefined : chosen }),
        resetScroll: false,
        replace: true,
      }),
    now: Math.max(account.dataUpdatedAt, history.dataUpdatedAt, standing.dataUpdatedAt),
    levels: standing.data ? levelsOf(standing.data) : [],
    onRetry: () => void history.refetch(),
  }
  const standingRead = {
    standing: standing.data ?? (standing.isError ? null : undefined),
    onRetry: () => void standing.refetch(),
  }
  const overview = {
    ...standingRead,
    chart: (
      <BalancePanel
        {...panel}
        besidesTrading={
          <>
            Payouts and new phases change the balance; they are no losses.{' '}
            <TextLink to="/" search={(before) => ({ ...before, tab: 'performance' as const })} resetScroll={false}>
              Profit and loss without them
            </TextLink>
          </>
        }
      />
    ),
  }
  return (
    <>
      <PageHeader title={title} action={<ButtonLink to="/account-sizes">Buy Challenge</ButtonLink>}>
        <StatusLine account={account.data} person={standing.data?.person} />
      </PageHeader>
      <UnacceptedTerms accounts={accounts} />
      {breached && <BreachNotice account={account.data} />}
      <Tabs
        label="Dashboard"
        value={tab}
        onChange={(chosen) =>
          void navigate({
            search: (before) => ({ ...before, tab: chosen === 'overview' ? undefined : chosen }),
            resetScroll: false,
          })
        }
        tabs={[
          {
            value: 'overview',
            label: 'Overview',
            content: (
              <div className="flex flex-col gap-4">
                {needsFirstSteps(account.data) && !breached && <FirstSteps />}
                {waitsForLogin(account.data) && <LoginFollows />}
                {account.data.programme ? (
                  <ProgrammeOverview {...overview} account={account.data} readAt={standing.dataUpdatedAt} />
                ) : (
                  <Overview
                    {...overview}
                    account={account.data}
                    why={(about) => <WhyLink account={account.data} about={about} />}
                  />
                )}
              </div>
            ),
          },
          {
            value: 'performance',
            label: 'Performance',
            content: (
              <div className="flex flex-col gap-4">
                <Performance
                  {...panel}
                  programme={account.data.programme ? standingRead : undefined}
                  limits={{ daily: formatLimit(daily), overall: formatLimit(overall), target: formatLimit(target) }}
                />
                {history.data?.calendar && (
                  <>
                    <TradingCalendar calendar={history.data.calendar} />
                    <TradesCard account={account.data.id} />
                  </>
                )}
                <OwnLedger account={account.data.id} />
              </div>
            ),
          },
          {
            value: 'details',
            label: 'Account Details',
            content: <AccountDetails account={account.data} />,
          },
        ]}
      />
      {why && (
        <WhyDialog
          account={account.data}
          about={why}
          onClose={() =>
            void navigate({ search: (before) => ({ ...before, why: undefined }), resetScroll: false, replace: true })
          }
        />
      )}
    </>
  )
}

interface StatusLineProps {
  readonly account: OwnAccount
  readonly person: Standing['person'] | undefined
}

function StatusLine({ account, person }: StatusLineProps) {
  const { status, phase, open, stamps } = account
  return (
    <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
      {!open && <Badge>Closed</Badge>}
      <AccountStatusBadge status={status} />
      <DecisionStamp stamp={stamps.status} why={stamps.status?.reason} />
      {/* The notice of a breach has this link. */}
      {status !== 'breached' && <WhyLink account={account} about="status" />}
      <span aria-hidden>·</span>
      <span className="text-ink">{phase ?? 'No phase yet'}</span>
      <DecisionStamp stamp={stamps.phase} />
      {person && (
        <>
          <span aria-hidden>·</span>
          <DecidedByPerson person={person} />
        </>
      )}
    </span>
  )
}

/** The first word of the full name; without one, Trader (specification §2). */
function firstName(fullName: string | undefined): string {
  const [first] = fullName?.trim().split(/\s+/) ?? []
  return first || 'Trader'
}

/** The ledger of one of the trader's own accounts. */
function OwnLedger({ account }: { readonly account: string }) {
  const ledger = useQuery(ownLedgerQuery(account))
  const file = addressOf(ledgerRoutes.ownLedgerExport, { query: { account } })
  return (
    <Card title="Ledger" action={<DownloadLink href={file}>Download CSV</DownloadLink>}>
      <LedgerTable ledger={ledger} />
    </Card>
  )
}
