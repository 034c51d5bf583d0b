import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Outlet } from '@tanstack/react-router'
import { RotateCw } from 'lucide-react'
import { formatCount } from '@/format/counts.ts'
import { useChangeAddress } from '@/lists/address.ts'
import { IconButton } from '@/ui/button.tsx'
import { MissingOverPage } from '@/ui/missing-part.tsx'
import { useMay } from '@/features/frame/access.tsx'
import { type NavigationLink, PageFrame } from '@/features/frame/page-frame.tsx'
import { pages } from '@/features/frame/palette-commands.ts'
import { statsQuery } from '@/features/oversight/statistics/statistics-queries.ts'
import { openFindingsQuery } from '@/features/trading/findings/finding-queries.ts'
import { tasksQuery } from '@/features/trading/tasks/task-queries.ts'
import { traders, views } from './staff-commands.ts'
import { lazyPartOr } from '@/lazy-page.ts'

const UserDialog = lazyPartOr(
  () => import('@/features/trading/traders/user-dialog.tsx').then(({ UserDialog }) => UserDialog),
  MissingUser,
)

function MissingUser() {
  const change = useChangeAddress()
  const close = () => void change({ user: undefined, account: undefined, form: undefined }, { replace: true })
  return <MissingOverPage onClose={close} />
}

const route = getRouteApi('/admin')

const links: readonly NavigationLink[] = [
  { to: '/admin/dashboard', label: 'Dashboard' },
  { to: '/admin/users', label: 'Users' },
  { to: '/admin/payouts', label: 'Payouts', badge: <PendingBadge />, withPagesBelow: true },
  { to: '/admin/findings', label: 'Findings', badge: <FindingsBadge /> },
  { to: '/admin/cases', label: 'Cases' },
  { to: '/admin/tasks', label: 'Tasks', badge: <TasksBadge /> },
  { to: '/admin/programmes', label: 'Programmes', withPagesBelow: true },
  { to: '/admin/audit', label: 'Audit', withPagesBelow: true },
  { to: '/admin/system', label: 'System' },
  { to: '/admin/security', label: 'Security' },
]
const staffLink: NavigationLink = { to: '/admin/staff', label: 'Staff' }
const batchesLink: NavigationLink = { to: '/admin/payouts/batches', label: 'Batches of payments' }
const importsLink: NavigationLink = { to: '/admin/imports', label: 'Imports of statements' }
const calendarLink: NavigationLink = { to: '/admin/calendar', label: 'Calendar of news' }
const otherLinks: readonly NavigationLink[] = [
  batchesLink,
  importsLink,
  calendarLink,
  { to: '/admin', label: 'Users and payouts in tabs' },
]
const linksWithStaff = [...links, staffLink]
const commands = [pages('Go to', [...links, ...otherLinks]), views, traders]
const commandsWithStaff = [pages('Go to', [...linksWithStaff, ...otherLinks]), views, traders]

// A badge says what the person can do: nothing while that is unknown, and to those who may not do it.

/** How many payout requests wait for a verdict. */
function PendingBadge() {
  const enabled = useMay('decide-payouts')
  const { data } = useQuery({ ...statsQuery, retry: false, enabled })
  return <CountBadge count={enabled ? data?.payouts.pending : 0} what="pending" />
}

/** How many findings wait for a verdict. */
function FindingsBadge() {
  const enabled = useMay('decide-findings')
  const { data } = useQuery({ ...openFindingsQuery, retry: false, enabled })
  return <CountBadge count={enabled ? data?.total : 0} what="to decide" />
}

/** How many tasks there are for staff. */
function TasksBadge() {
  const enabled = useMay('do-tasks')
  const { data } = useQuery({ ...tasksQuery(), retry: false, enabled })
  return <CountBadge count={enabled ? data?.total : 0} what="to do" />
}

function CountBadge({ count = 0, what }: { readonly count: number | undefined; readonly what: string }) {
  if (count === 0) return null
  return (
    <span className="ml-1.5 rounded-full bg-waiting-soft px-1.5 text-12 leading-5 font-medium text-waiting">
      {formatCount(count)}
      <span className="sr-only"> {what}</span>
    </span>
  )
}

/** The frame of the administrators' pages. */
export function StaffLayout() {
  const { user } = route.useSearch()
  const maySeeStaff = useMay('see-staff')
  const refresh = (
    <IconButton label="Refresh" onClick={() => location.reload()}>
      <RotateCw size={16} aria-hidden />
    </IconButton>
  )
  return (
    <PageFrame
      name="Administration"
      home="/admin/dashboard"
      links={maySeeStaff ? linksWithStaff : links}
      commands={maySeeStaff ? commandsWithStaff : commands}
      session="admin"
      tools={refresh}
    >
      <Outlet />
      {user !== undefined && <UserDialog key={user} id={user} />}
    </PageFrame>
  )
}
