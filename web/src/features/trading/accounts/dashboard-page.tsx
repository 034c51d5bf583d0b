import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { ReactElement, ReactNode } from 'react'
import type { OwnAccount } from '#services/trading/accounts/account-api.ts'
import type { ArithmeticLine, Standing } from '#services/trading/accounts/standing-api.ts'
import { ledgerRoutes } from '#services/trading/accounts/ledger-api.ts'
import { addressOf } from '@/api/api.ts'
import { userQuery } from '@/features/frame/session-queries.ts'
import { SupportContact } from '@/features/frame/support-contact.tsx'
import { UnacceptedTerms } from '@/features/trading/enrolments/unaccepted-terms.tsx'
import { AccountStatusBadge, Badge } from '@/ui/badge.tsx'
import { Button } from '@/ui/button.tsx'
import { Card } from '@/ui/card.tsx'
import { ButtonLink, TextLink, DownloadLink } from '@/ui/link.tsx'
import { PageHeader } from '@/ui/page-header.tsx'
import { ErrorState } from '@/ui/states.tsx'
import { Tabs } from '@/ui/tabs.tsx'
import { DecisionStamp } from '@/ui/text.tsx'
import { AccountDetails, missingOfOwnLogin } from './account-details.tsx'
import { accountQuery, standingQuery } from './account-queries.ts'
import { ownReads } from './account-reads.ts'
import { OverviewOfAccount, PerformanceOfAccount } from './account-views.tsx'
import { BreachNotice } from './breach-notice.tsx'
import { useChosenAccount } from './chosen-account.ts'
import { DashboardSkeleton } from './dashboard-skeleton.tsx'
import { DecidedByPerson } from './event-link.tsx'
import type { Range } from './performance.ts'
import { WhyLink } from './why-link.tsx'
import type { WhySubject } from './why-subjects.ts'

const route = getRouteApi('/_trader/')

interface DashboardPageProps {
  /** Explains a decision about the account, over the page. */
  readonly WhyDialog: (props: {
    readonly account: OwnAccount
    readonly about: WhySubject
    readonly arithmetic: readonly ArithmeticLine[]
    readonly onClose: () => void
  }) => ReactElement
}

/** The trader's account: room left, performance, and access to the platform (specification §2). */
export function DashboardPage({ WhyDialog }: DashboardPageProps): ReactNode {
  const { tab = 'overview', why, ...chosen } = route.useSearch()
  const range: Range = chosen.range ?? 'all'
  const { named, accounts } = useChosenAccount()
  const navigate = route.useNavigate()
  const account = useQuery(accountQuery(named))
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

  const breached = account.data.status === 'breached'
  const view = {
    account: account.data,
    reads: ownReads(named, account.data.id),
    range,
    onRange: (chosen: Range) =>
      void navigate({
        search: (before) => ({ ...before, range: chosen === 'all' ? undefined : chosen }),
        resetScroll: false,
        replace: true,
      }),
  }
  return (
    <>
      <PageHeader title={title} action={<ButtonLink to="/account-sizes">Buy Challenge</ButtonLink>}>
        <StatusLine account={account.data} person={standing.data?.person} />
      </PageHeader>
      <UnacceptedTerms accounts={accounts} />
      {breached && (
        <BreachNotice account={account.data} why={<WhyLink account={account.data} about="status" />} className="mb-6">
          Trading on this account has ended. If you think this is a mistake,{' '}
          <TextLink to="/cases">object to this decision</TextLink>, or contact support and send them the entry in your{' '}
          <TextLink to="/history">History</TextLink>: a mistaken breach can be corrected. To trade again,{' '}
          <TextLink to="/account-sizes">buy a challenge</TextLink>. <SupportContact />
        </BreachNotice>
      )}
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
                <OverviewOfAccount
                  {...view}
                  performanceLink={
                    <TextLink
                      to="/"
                      search={(before) => ({ ...before, tab: 'performance' as const })}
                      resetScroll={false}
                    >
                      Profit and loss without them
                    </TextLink>
                  }
                  why={(about) => <WhyLink account={account.data} about={about} />}
                />
              </div>
            ),
          },
          {
            value: 'performance',
            label: 'Performance',
            content: (
              <PerformanceOfAccount
                {...view}
                cursor="cursor"
                ledgerFile={
                  <DownloadLink href={addressOf(ledgerRoutes.ownLedgerExport, { query: { account: account.data.id } })}>
                    Download CSV
                  </DownloadLink>
                }
              />
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
          arithmetic={standing.data?.arithmetic ?? []}
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
      {/* A passed account keeps its status, and is active no more. */}
      {(open || status === 'breached') && <AccountStatusBadge status={status} />}
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

/** Whether there is nothing to trade with yet: neither a login nor a phase. */
function needsFirstSteps({ login, phase }: Pick<OwnAccount, 'login' | 'phase'>): boolean {
  return login === null && phase === null
}

/** Whether there is an account to trade on whose trader cannot sign in on the platform yet. */
function waitsForLogin(account: OwnAccount): boolean {
  const { login, phase, status, open, programme } = account
  const waits = programme ? missingOfOwnLogin(account).length > 0 : login === null
  return waits && phase !== null && open && status !== 'breached'
}

/** Says what comes next after an enrolment. */
function LoginFollows() {
  return (
    <p className="rounded-lg border border-line bg-card px-4 py-3 text-13">
      <span className="font-semibold">Your login follows.</span> An administrator sets up your account on the trading
      platform. <WhereLoginIs />
    </p>
  )
}

function WhereLoginIs() {
  return (
    <>
      Then its login ID, password and server are in{' '}
      <TextLink to="/" search={{ tab: 'details' }} resetScroll={false}>
        Account Details
      </TextLink>
      .
    </>
  )
}

/** From sign-up to the first trade. */
function FirstSteps() {
  return (
    <Card title="First steps">
      <ol className="grid list-inside list-decimal gap-4 marker:font-semibold md:grid-cols-3">
        <li>
          <span className="font-semibold">Buy</span>
          <p className="mt-1 text-muted">
            Choose a challenge and a size at <TextLink to="/account-sizes">Buy an Account</TextLink>.
          </p>
        </li>
        <li>
          <span className="font-semibold">Get your login</span>
          <p className="mt-1 text-muted">
            An administrator sets up your account. <WhereLoginIs />
          </p>
        </li>
        <li>
          <span className="font-semibold">Trade</span>
          <p className="mt-1 text-muted">
            Log in to MetaTrader with them. Your balance, limits and results then appear on this page.
          </p>
        </li>
      </ol>
      <p className="mt-4 text-13 text-muted empty:hidden">
        <SupportContact />
      </p>
    </Card>
  )
}
