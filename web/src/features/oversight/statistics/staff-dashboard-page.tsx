import type { ListedUser } from '#services/trading/traders/trader-api.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { FirmWeeks, Stats, FirmWeek } from '#services/oversight/statistics/statistics-api.ts'
import { serverNow } from '@/api/server-clock.ts'
import { formatCount } from '@/format/counts.ts'
import { centsOf, formatMoney } from '@/format/money.ts'
import { accountStatusLabel } from '@/format/status.ts'
import { Card, DescriptionList } from '@/ui/card.tsx'
import { type Column, DataTable } from '@/ui/data-table.tsx'
import { ButtonLink, TextLink } from '@/ui/link.tsx'
import { Meter } from '@/ui/meter.tsx'
import { PageHeader } from '@/ui/page-header.tsx'
import { EmptyState, ErrorState, LoadingLines, Skeleton } from '@/ui/states.tsx'
import { SetupCard } from '@/features/operations/setup/setup-card.tsx'
import { RoleNotice, useMember } from '@/features/frame/access.tsx'
import { FiguresRow } from '@/ui/figures-row.tsx'
import { useOpenUser } from '@/features/frame/user-link.tsx'
import { userColumns, userRows } from '@/features/trading/traders/users-table.tsx'
import { timeSince, formatDate } from '@/format/dates.ts'
import { statsQuery, weeksQuery } from './statistics-queries.ts'

/** An administrator's start page: counts, amounts, new users (specification §2). */
export function StaffDashboardPage() {
  const stats = useQuery(statsQuery)
  const weeks = useQuery(weeksQuery)
  const open = useOpenUser()
  const maySetUp = useMember()?.permissions.includes('set-up-firm')
  return (
    <>
      <PageHeader title="Admin Dashboard">The firm at a glance: accounts, payout requests and new users.</PageHeader>
      <RoleNotice />
      {maySetUp && <SetupCard />}
      {stats.isError && !stats.data ? (
        <Card>
          <ErrorState title="The figures could not be loaded" error={stats.error} onRetry={stats.refetch} />
        </Card>
      ) : (
        <DashboardView
          stats={stats.data}
          weeks={weeks.data}
          weeksFailed={weeks.isError}
          onOpen={({ id }) => open(id)}
        />
      )}
    </>
  )
}

interface DashboardViewProps {
  /** Undefined while loading. */
  readonly stats: Stats | undefined
  /** Undefined while loading. */
  readonly weeks: FirmWeeks | undefined
  /** The weeks could not be loaded: the page works without them. */
  readonly weeksFailed?: boolean
  readonly onOpen: (user: ListedUser) => void
}

// Not sortable: the list is always the newest users.
const recentColumns: readonly Column<ListedUser>[] = [
  userColumns.id,
  userColumns.name,
  userColumns.email,
  userColumns.status,
]

/** The figures and the newest users. */
export function DashboardView({ stats, weeks, weeksFailed = false, onOpen }: DashboardViewProps) {
  const users = stats?.users
  return (
    <>
      <FiguresRow
        label="Users in figures"
        failed={false}
        onRetry={() => {}}
        figures={[
          {
            label: 'Total Users',
            value: users?.total,
            href: '/admin/users',
            context: stats ? (
              <>
                <span>{formatCount(stats.users.banned)} banned</span>, {formatCount(stats.accounts)} open accounts
              </>
            ) : (
              <Skeleton className="h-8 w-32 md:h-4" />
            ),
          },
          { label: 'Active Traders', value: users?.active, href: '/admin/users?status=active' },
          { label: 'Under Review', value: users?.underReview, href: '/admin/users?status=under-review' },
          { label: 'Breached', value: users?.breached, href: '/admin/users?status=breached' },
        ]}
      />
      <div className="mb-6 grid gap-6 md:grid-cols-2">
        <Card
          title="Payout Overview"
          action={
            <ButtonLink look="secondary" to="/admin/payouts" search={{ status: 'pending' }}>
              Manage payouts
            </ButtonLink>
          }
        >
          {stats ? <PayoutFigures payouts={stats.payouts} /> : <LoadingLines lines={5} />}
        </Card>
        <Card title="User Accounts">{stats ? <StatusBreakdown {...stats} /> : <LoadingLines lines={8} />}</Card>
      </div>
      {(weeks || !weeksFailed) && (
        <Card title="Last 12 weeks" className="mb-6">
          {weeks ? <Trends {...weeks} /> : <LoadingLines lines={8} />}
        </Card>
      )}
      <div className="mb-3 flex items-center justify-between">
        <h2 className="text-16 font-semibold">Recent Users</h2>
        <TextLink to="/admin/users">All users</TextLink>
      </div>
      <DataTable
        {...userRows}
        label="Recent Users"
        columns={recentColumns}
        rows={stats?.recentUsers}
        onOpen={onOpen}
        empty={<EmptyState title="No users yet">New users appear here first.</EmptyState>}
      />
    </>
  )
}

function PayoutFigures({ payouts }: { readonly payouts: Stats['payouts'] }) {
  const { pending, total, totalAmount, withdrawn, unpaid, oldestUnpaidAt } = payouts
  const { pendingAmount, approvedAmount, rejectedAmount, withdrawnAmount, unpaidAmount } = payouts
  return (
    <>
      <dl className="grid grid-cols-2 gap-4">
        <div className="min-w-0">
          <dt className="text-13 text-muted">Pending Requests</dt>
          <dd className="text-20 lg:text-28 font-semibold">{formatCount(pending)}</dd>
          <dd className="text-12 text-muted">awaiting a decision</dd>
        </div>
        <div className="min-w-0">
          <dt className="text-13 text-muted">Total Amount</dt>
          <dd className="text-20 lg:text-28 font-semibold break-words">{formatMoney(totalAmount)}</dd>
          <dd className="text-12 text-muted">from {formatCount(total)} requests</dd>
        </div>
      </dl>
      <DescriptionList
        className="mt-5"
        items={[
          { name: 'Pending', value: formatMoney(pendingAmount) },
          { name: 'Approved', value: formatMoney(approvedAmount) },
          { name: 'Rejected', value: formatMoney(rejectedAmount) },
          ...(withdrawn > 0 ? [{ name: 'Withdrawn', value: formatMoney(withdrawnAmount) }] : []),
          {
            name: 'Not Paid Yet',
            value: (
              <>
                {formatMoney(unpaidAmount)}
                {oldestUnpaidAt !== null && (
                  <span className="block text-12 text-muted">
                    {formatCount(unpaid)} approved, as traders receive it; the oldest{' '}
                    {timeSince(oldestUnpaidAt, serverNow())} ago
                  </span>
                )}
              </>
            ),
          },
        ]}
      />
    </>
  )
}

function Trends({ weeks, total }: FirmWeeks) {
  return (
    <div className="grid gap-x-8 gap-y-6 md:grid-cols-2">
      <WeekBars
        title="New accounts"
        weeks={weeks}
        valueOf={({ newAccounts }) => newAccounts}
        textOf={({ newAccounts }) => formatCount(newAccounts)}
        total={formatCount(total.newAccounts)}
      />
      <WeekBars
        title="Approved payouts"
        weeks={weeks}
        valueOf={({ approvedAmount }) => centsOf(approvedAmount)}
        textOf={({ approvedAmount, approvedPayouts }) =>
          `${formatMoney(approvedAmount)}, ${formatCount(approvedPayouts)} approved`
        }
        total={formatMoney(total.approvedAmount)}
      />
    </div>
  )
}

const breakdown = [
  { status: 'active', count: 'active', tone: 'good' },
  { status: 'under-review', count: 'underReview', tone: 'review' },
  { status: 'pending', count: 'pending', tone: 'waiting' },
  { status: 'breached', count: 'breached', tone: 'bad' },
] as const

function StatusBreakdown({ users, shares }: Pick<Stats, 'users' | 'shares'>) {
  return (
    <ul className="flex flex-col gap-3">
      {breakdown.map(({ status, count, tone }) => {
        const { label } = accountStatusLabel(status)
        const percent = shares[count]
        return (
          <li key={status}>
            <div className="mb-1 flex justify-between gap-3">
              <Link to="/admin/users" search={{ status }} className="rounded-sm underline-offset-4 hover:underline">
                {label}
              </Link>
              {formatCount(users[count])}
            </div>
            <Meter
              label={`${label} accounts`}
              percent={percent}
              text={`${percent.toFixed(1)}% of all users`}
              tone={tone}
            />
          </li>
        )
      })}
    </ul>
  )
}

interface WeekBarsProps {
  readonly title: string
  readonly weeks: readonly FirmWeek[]
  /** How high a week's bar is; nothing below zero. */
  readonly valueOf: (week: FirmWeek) => number
  /** The meaning of a week's bar: '12 new accounts'. */
  readonly textOf: (week: FirmWeek) => string
  /** The total of all weeks. */
  readonly total: string
}

/**
 * A bar for each week, the last one up to today. Each says its days and its value, to a pointer and to assistive
 * technology.
 */
function WeekBars({ title, weeks, valueOf, textOf, total }: WeekBarsProps) {
  const highest = Math.max(1, ...weeks.map(valueOf))
  const describe = (week: FirmWeek) =>
    `${formatDate(week.from, 'short')} to ${formatDate(week.to, 'short')}: ${textOf(week)}`
  return (
    <section aria-label={title} className="min-w-0">
      <h3 className="text-13 text-muted">{title}</h3>
      <p className="text-20 font-semibold break-words">{total}</p>
      <ol aria-label={`${title} by week`} className="mt-3 flex h-24 items-end gap-1 border-b border-line">
        {weeks.map((week) => (
          <li key={week.from} title={describe(week)} className="group flex h-full min-w-0 flex-1 items-end">
            <span className="sr-only">{describe(week)}</span>
            <span
              aria-hidden
              className="w-full rounded-t-sm bg-accent group-hover:bg-accent-strong"
              style={{ height: `${Math.max(0, (valueOf(week) / highest) * 100)}%` }}
            />
          </li>
        ))}
      </ol>
      <p aria-hidden className="mt-1 flex justify-between text-12 text-muted">
        <span>{formatDate(weeks[0]?.from, 'short')}</span>
        <span>Today</span>
      </p>
    </section>
  )
}
