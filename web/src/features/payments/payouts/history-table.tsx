import { useState } from 'react'
import type { ListedPayout } from '#services/payments/payouts/payout-api.ts'
import { PaymentStateBadge, PayoutStatusBadge } from '@/ui/badge.tsx'
import { type Column, DataTable } from '@/ui/data-table.tsx'
import { EmptyState, ErrorState } from '@/ui/states.tsx'
import { formatMoney } from '@/format/money.ts'
import { CopyableId, DateText, DecisionStamp } from '@/ui/text.tsx'
import { AccountInAddress } from '@/account-in-address.ts'
import { accountColumn } from '@/features/trading/accounts/account-scope.tsx'
import { fieldColumn, fieldColumns } from './field-columns.tsx'
import { PayoutLife } from './payout-life.tsx'
import { lazyPart } from '@/lazy-page.ts'
import { useMutation } from '@tanstack/react-query'
import { messageOf } from '@/api/api-error.ts'
import { toast, toastFailure } from '@/toast.ts'
import { Button } from '@/ui/button.tsx'
import { withdrawPayout } from './payout-queries.ts'

const Dialog = lazyPart(() => import('@/ui/dialog.tsx').then(({ Dialog }) => Dialog))

interface HistoryTableProps {
  /** Undefined while loading. */
  readonly payouts: readonly ListedPayout[] | undefined
  /** They are of several accounts. */
  readonly namesAccount: boolean
  readonly failed: boolean
  readonly onRetry: () => void
}

/** All payout requests (specification §2). A row opens the details of its payout. */
export function HistoryTable({ payouts, namesAccount, failed, onRetry }: HistoryTableProps) {
  // The id and not the payout, so that the open dialog shows a later decision.
  const [openId, setOpenId] = useState<string>()
  const [columns] = useState(() => ({ own: columnsOf(setOpenId, false), withAccount: columnsOf(setOpenId, true) }))
  const opened = payouts?.find(({ id }) => id === openId)
  return (
    <>
      <DataTable
        label="Payout history"
        columns={namesAccount ? columns.withAccount : columns.own}
        rows={payouts}
        rowId={payoutIdOf}
        onOpen={({ id }) => setOpenId(id)}
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
      {opened && (
        <Dialog onClose={() => setOpenId(undefined)} title="Payout request">
          {namesAccount ? (
            <AccountInAddress value={opened.accountId}>
              <PayoutLife payout={opened} />
            </AccountInAddress>
          ) : (
            <PayoutLife payout={opened} />
          )}
          {opened.status === 'pending' && <WithdrawPayout payout={opened} />}
        </Dialog>
      )}
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
      cell: ({ accountId, status, payment, stamps, adminNotes }) => {
        const stamp = <DecisionStamp stamp={stamps.decided} why={adminNotes} />
        return (
          <span className="inline-flex flex-wrap items-center gap-x-2 gap-y-1 max-md:justify-end">
            <PayoutStatusBadge status={status} />
            {payment && <PaymentStateBadge state={payment.state} />}
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

/** Takes a request back that waits for a verdict. */
function WithdrawPayout({ payout: { id, amount } }: { readonly payout: ListedPayout }) {
  const withdraw = useMutation(withdrawPayout)
  return (
    <div className="mt-6 flex flex-wrap items-center gap-3">
      <Button
        look="danger"
        busy={withdraw.isPending}
        onClick={() =>
          withdraw.mutate(id, {
            onSuccess: () => toast('Payout withdrawn', `Your request of ${formatMoney(amount)} was withdrawn.`),
            onError: (error) => toastFailure('Withdrawal failed', messageOf(error), { brief: true }),
          })
        }
      >
        Withdraw Request
      </Button>
      <p className="text-13 text-muted">This is final. You can make another request afterwards.</p>
    </div>
  )
}
