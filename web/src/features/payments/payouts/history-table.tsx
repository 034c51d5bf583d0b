import { useState } from 'react'
import type { ListedPayout } from '#services/payments/payouts/payout-api.ts'
import { AccountInAddress } from '@/account-in-address.ts'
import { accountColumn } from '@/features/trading/accounts/account-scope.tsx'
import { lazyPart } from '@/lazy-page.ts'
import { Badge, PaymentStateBadge, PayoutStatusBadge } from '@/ui/badge.tsx'
import { Button } from '@/ui/button.tsx'
import { type Column, DataTable } from '@/ui/data-table.tsx'
import { EmptyState, ErrorState } from '@/ui/states.tsx'
import { CopyableId, DateText, DecisionStamp } from '@/ui/text.tsx'
import { formatMoney } from '@/format/money.ts'
import { fieldColumn, fieldColumns } from './field-columns.tsx'

const PayoutDialog = lazyPart(() => import('./payout-life.tsx').then(({ PayoutDialog }) => PayoutDialog))

interface HistoryTableProps {
  /** Undefined while loading. */
  readonly payouts: readonly ListedPayout[] | undefined
  /** They are of several accounts. */
  readonly namesAccount: boolean
  readonly failed: boolean
  readonly onRetry: () => void
  /** The id of the payout whose details are open. */
  readonly openId: string | undefined
  readonly onOpen: (id: string | undefined) => void
}

/** All payout requests (specification §2). A row opens the details of its payout. */
export function HistoryTable({ payouts, namesAccount, failed, onRetry, openId, onOpen }: HistoryTableProps) {
  const [columns] = useState(() => ({ own: columnsOf(onOpen, false), withAccount: columnsOf(onOpen, true) }))
  const opened = payouts?.find(({ id }) => id === openId)
  return (
    <>
      <DataTable
        label="Payout history"
        columns={namesAccount ? columns.withAccount : columns.own}
        rows={payouts}
        rowId={payoutIdOf}
        onOpen={({ id }) => onOpen(id)}
        expectedRows={4}
        empty={<EmptyState title="No payout requests found" />}
        error={
          failed &&
          !payouts && (
            <ErrorState title="Failed to load payout requests." onRetry={onRetry}>
              Your requests are safe. Please try again in a moment.
            </ErrorState>
          )
        }
      />
      {opened && <PayoutDialog payout={opened} namesAccount={namesAccount} onClose={() => onOpen(undefined)} />}
    </>
  )
}

const payoutIdOf = ({ id }: ListedPayout) => id

function columnsOf(open: (id: string) => void, namesAccount: boolean): readonly Column<ListedPayout>[] {
  return [
    { header: 'Request ID', cell: ({ id }) => <CopyableId id={id} of="this request" /> },
    ...(namesAccount ? [accountColumn] : []),
    { header: 'Date', cell: ({ createdAt }) => <DateText at={createdAt} how="day" /> },
    fieldColumn('amount'),
    ...fieldColumns,
    {
      header: 'Status',
      cell: ({ id, accountId, amount, status, hold, payment, stamps, adminNotes }) => {
        const stamp = <DecisionStamp stamp={stamps.decided} why={adminNotes} />
        return (
          <span className="inline-flex flex-wrap items-center gap-x-2 gap-y-1 max-md:justify-end">
            <PayoutStatusBadge status={status} />
            {hold && <Badge tone="waiting">On hold</Badge>}
            {payment && <PaymentStateBadge state={payment.state} />}
            {status === 'pending' && (
              <Button
                look="secondary"
                className="max-md:h-11"
                aria-haspopup="dialog"
                aria-label={`Withdraw the request of ${formatMoney(amount)}`}
                onClick={() => open(id)}
              >
                Withdraw
              </Button>
            )}
            {namesAccount ? <AccountInAddress value={accountId}>{stamp}</AccountInAddress> : stamp}
          </span>
        )
      },
    },
    { header: 'Admin Notes', cell: ({ id, adminNotes }) => <Notes notes={adminNotes} onOpen={() => open(id)} /> },
  ]
}

/** Truncated at 200 px (specification §2); a click shows all of it. */
function Notes({ notes, onOpen }: { readonly notes: string | null; readonly onOpen: () => void }) {
  if (!notes?.trim()) return <span className="text-muted">No notes</span>
  return (
    <button
      type="button"
      aria-haspopup="dialog"
      title="Show the notes in full"
      onClick={onOpen}
      className="block max-w-[200px] truncate rounded-sm text-left underline decoration-edge decoration-dotted underline-offset-4 hover:decoration-ink"
    >
      {notes}
    </button>
  )
}
