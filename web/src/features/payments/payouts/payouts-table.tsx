import { use, useState } from 'react'
import type { AdminPayout } from '#services/payments/payouts/payout-api.ts'
import { serverNow } from '@/api/server-clock.ts'
import { formatMoney } from '@/format/money.ts'
import { Badge, PayeeCheckBadge, PaymentStateBadge, PayoutStatusBadge } from '@/ui/badge.tsx'
import { Button } from '@/ui/button.tsx'
import { actionsColumn, type Column } from '@/ui/data-table.tsx'
import { Menu, MenuItem } from '@/ui/menu.tsx'
import { CopyableId, DateText, Stamped } from '@/ui/text.tsx'
import { NOT_ALLOWED, useMay } from '@/features/frame/access.tsx'
import { fieldColumn, fieldColumns } from './field-columns.tsx'
import { methodName } from './methods.ts'
import { UserLink } from '@/features/frame/user-link.tsx'
import { ApprovalCount } from './approvals.tsx'
import { payingAccount } from './payout-rows.ts'
import { timeSince } from '@/format/dates.ts'
import { paymentMoves } from './payment-moves.ts'
import { lazyPart } from '@/lazy-page.ts'
import { SelectBox } from './selection.tsx'
import { DecideContext } from './use-verdicts.tsx'

const DestinationDialog = lazyPart(() =>
  import('./destination-dialog.tsx').then(({ DestinationDialog }) => DestinationDialog),
)
const PaymentDialog = lazyPart(() => import('./payment-dialog.tsx').then(({ PaymentDialog }) => PaymentDialog))

export const payoutIdOf = ({ id }: AdminPayout) => id

/** The account that a payout is asked from, where its trader has several. */
function PayingAccount({ payout }: { readonly payout: Omit<AdminPayout, 'userId' | 'user'> }) {
  const name = payingAccount(payout)
  return name === undefined ? null : (
    <span className="block text-12 leading-4 text-muted [overflow-wrap:anywhere]">{name}</span>
  )
}

/** Columns that several payout tables share. */
export const payoutColumns = {
  id: {
    header: 'ID',
    hiddenWhenNarrow: true,
    cell: ({ id, user }) => <CopyableId id={id} of={`the payout of ${user.fullName}`} />,
  },
  user: {
    header: 'User ID',
    inCard: { at: 'start', line: 1 },
    cell: ({ userId, user, ...payout }) => (
      <>
        <span className="inline-flex flex-wrap items-center gap-x-2">
          <UserLink id={userId}>{user.fullName}</UserLink>
          <span className="-my-1.5 max-md:hidden">
            <CopyableId id={userId} of={user.fullName} />
          </span>
        </span>
        <PayingAccount payout={payout} />
      </>
    ),
  },
  amount: {
    ...fieldColumn('amount'),
    sort: 'amount',
    inCard: { at: 'end', line: 1 },
    className: 'max-md:font-semibold',
  },
  method: {
    header: 'Payment Method',
    inCard: { at: 'start', line: 2 },
    cell: ({ paymentMethod }) => methodName(paymentMethod),
  },
  date: {
    header: 'Date',
    sort: 'createdAt',
    className: 'whitespace-nowrap',
    inCard: { at: 'end', line: 2 },
    cell: ({ createdAt, status }) => (
      <>
        <DateText at={createdAt} how="day" />
        {status === 'pending' && (
          <span className="block text-12 leading-4 text-waiting">waits {timeSince(createdAt, serverNow())}</span>
        )}
      </>
    ),
  },
  status: {
    header: 'Status',
    sort: 'status',
    inCard: { at: 'start', line: 3 },
    cell: ({
      userId,
      status,
      payment,
      hold,
      proposedDestination,
      stamps,
      adminNotes,
      firstApproval,
      firstForfeit,
      promise,
    }) => (
      <Stamped
        inTable
        of={userId}
        stamp={firstApproval ?? firstForfeit ?? stamps.decided ?? stamps.requested}
        why={adminNotes}
      >
        <span className="inline-flex flex-wrap items-center gap-1">
          <PayoutStatusBadge status={status} />
          <ApprovalCount firstApproval={firstApproval ?? firstForfeit} />
          {payment && <PaymentStateBadge state={payment.state} />}
          {payment?.payee && <PayeeCheckBadge check={payment.payee} />}
          {hold && <Badge tone="bad">On hold</Badge>}
          {promise?.overdue && <Badge tone="bad">Overdue</Badge>}
          {proposedDestination && <Badge tone="waiting">New destination: 1 of 2</Badge>}
        </span>
      </Stamped>
    ),
  },
} satisfies Readonly<Record<string, Column<AdminPayout>>>

const dataColumns: readonly Column<AdminPayout>[] = [...Object.values(payoutColumns), ...fieldColumns]

/** The columns of /admin/payouts for those who may not decide, and select nothing. */
export const auditorColumns: readonly Column<AdminPayout>[] = [
  ...dataColumns,
  { ...actionsColumn, inCard: { at: 'end', line: 3 }, cell: (payout) => <PayoutMenu payout={payout} /> },
]

/** The columns of /admin/payouts. */
export const payoutPageColumns: readonly Column<AdminPayout>[] = [
  {
    header: 'Select',
    headerHidden: true,
    inCard: { at: 'end', line: 3 },
    cell: (payout) => <SelectBox payout={payout} />,
  },
  ...dataColumns,
  {
    ...actionsColumn,
    inCard: { at: 'line', line: 4 },
    cell: (payout) => (
      <span className="flex items-center justify-end gap-2">
        <VerdictButtons payout={payout} />
        <PayoutMenu payout={payout} />
      </span>
    ),
  },
]

/** A phone has no J, K, A and R: the buttons of a pending payout are on its card. */
function VerdictButtons({ payout }: { readonly payout: AdminPayout }) {
  const decide = use(DecideContext)
  if (payout.status !== 'pending') return null
  const of = `the payout of ${formatMoney(payout.amount)} to ${payout.user.fullName}`
  return (
    <span className="contents md:hidden">
      <Button look="secondary" className="grow" aria-label={`Approve ${of}`} onClick={() => decide(payout, 'approved')}>
        Approve
      </Button>
      <Button look="secondary" className="grow" aria-label={`Reject ${of}`} onClick={() => decide(payout, 'rejected')}>
        Reject
      </Button>
    </span>
  )
}

function PayoutMenu({ payout }: { readonly payout: AdminPayout }) {
  const [opened, setOpened] = useState<'payment' | 'destination'>()
  const close = () => setOpened(undefined)
  return (
    <>
      <Menu label={`Actions for ${payout.user.fullName}`}>
        <PayoutMenuItems payout={payout} onOpen={setOpened} />
      </Menu>
      {opened === 'payment' && <PaymentDialog payout={payout} onClose={close} />}
      {opened === 'destination' && <DestinationDialog payout={payout} onClose={close} />}
    </>
  )
}

interface PayoutMenuItemsProps {
  readonly payout: AdminPayout
  readonly onOpen: (dialog: 'payment' | 'destination') => void
}

function PayoutMenuItems({ payout, onOpen }: PayoutMenuItemsProps) {
  const decide = use(DecideContext)
  const mayDecide = useMay('decide-payouts')
  if (!mayDecide)
    return (
      <>
        <MenuItem disabled onSelect={() => {}}>
          {NOT_ALLOWED}
        </MenuItem>
        <MenuItem onSelect={() => decide(payout, 'review')}>View Request</MenuItem>
      </>
    )
  return (
    <>
      <MenuItem disabled={payout.status === 'approved'} onSelect={() => decide(payout, 'approved')}>
        Approve
      </MenuItem>
      <MenuItem
        disabled={payout.status === 'rejected' && !payout.firstApproval}
        dangerous
        onSelect={() => decide(payout, 'rejected')}
      >
        Reject
      </MenuItem>
      <MenuItem disabled={paymentMoves(payout).length === 0} onSelect={() => onOpen('payment')}>
        Payment and Hold
      </MenuItem>
      <MenuItem disabled={!payout.takesDestination} onSelect={() => onOpen('destination')}>
        New Destination
      </MenuItem>
    </>
  )
}
