import { use } from 'react'
import type { AdminPayout } from '../../../../../services/api/payout-schemas.ts'
import { formatMoney } from '../../../format/money.ts'
import { PayoutStatusBadge } from '../../../ui/badge.tsx'
import type { Column } from '../../../ui/data-table.tsx'
import { Menu, MenuItem } from '../../../ui/menu.tsx'
import { CopyableId, DateText, Stamped } from '../../../ui/text.tsx'
import { NOT_ALLOWED, useMay } from '../access.tsx'
import { methodName } from '../../payouts/methods.ts'
import { UserLink } from '../users/user-link.tsx'
import { ApprovalCount } from './approvals.tsx'
import { timeSince } from './payout-warnings.ts'
import { SelectBox } from './selection.tsx'
import { DecideContext } from './use-verdicts.tsx'

export const payoutIdOf = ({ id }: AdminPayout) => id

/** Columns that several payout tables share. */
export const payoutColumns = {
  id: { id: 'id', header: 'ID', cell: ({ id, user }) => <CopyableId id={id} of={`the payout of ${user.fullName}`} /> },
  user: {
    id: 'user',
    header: 'User ID',
    cell: ({ userId, user }) => (
      <span className="inline-flex flex-wrap items-center gap-x-2 max-md:justify-end">
        <UserLink id={userId}>{user.fullName}</UserLink>
        <CopyableId id={userId} of={user.fullName} />
      </span>
    ),
  },
  amount: { id: 'amount', header: 'Amount', sort: 'amount', align: 'right', cell: ({ amount }) => formatMoney(amount) },
  method: { id: 'method', header: 'Payment Method', cell: ({ paymentMethod }) => methodName(paymentMethod) },
  date: {
    id: 'date',
    header: 'Date',
    sort: 'createdAt',
    cell: ({ createdAt, status }) => (
      <>
        <DateText at={createdAt} how="day" />
        {status === 'pending' && <span className="block text-12 text-waiting">waits {timeSince(createdAt, Date.now())}</span>}
      </>
    ),
  },
  status: {
    id: 'status',
    header: 'Status',
    sort: 'status',
    cell: ({ userId, status, stamps, adminNotes, firstApproval }) => (
      <Stamped inTable of={userId} stamp={firstApproval ?? stamps.decided ?? stamps.requested} why={adminNotes}>
        <span className="inline-flex flex-wrap items-center gap-1">
          <PayoutStatusBadge status={status} />
          <ApprovalCount firstApproval={firstApproval} />
        </span>
      </Stamped>
    ),
  },
} satisfies Readonly<Record<string, Column<AdminPayout>>>

/** The columns of /admin/payouts for auditors, who select nothing. */
export const auditorColumns: readonly Column<AdminPayout>[] = [
  payoutColumns.id,
  payoutColumns.user,
  payoutColumns.amount,
  payoutColumns.method,
  payoutColumns.date,
  payoutColumns.status,
  { id: 'actions', header: 'Actions', headerHidden: true, align: 'right', cell: (payout) => <PayoutMenu payout={payout} /> },
]

/** The columns of /admin/payouts. */
export const payoutPageColumns: readonly Column<AdminPayout>[] = [
  { id: 'select', header: 'Select', headerHidden: true, cell: (payout) => <SelectBox payout={payout} /> },
  ...auditorColumns,
]

function PayoutMenu({ payout }: { readonly payout: AdminPayout }) {
  return (
    <Menu label={`Actions for ${payout.user.fullName}`}>
      <PayoutMenuItems payout={payout} />
    </Menu>
  )
}

function PayoutMenuItems({ payout }: { readonly payout: AdminPayout }) {
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
      <MenuItem disabled={payout.status === 'rejected' && !payout.firstApproval} dangerous onSelect={() => decide(payout, 'rejected')}>
        Reject
      </MenuItem>
    </>
  )
}
