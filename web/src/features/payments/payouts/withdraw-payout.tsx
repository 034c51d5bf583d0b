import { useMutation } from '@tanstack/react-query'
import type { ListedPayout } from '#services/payments/payouts/payout-api.ts'
import { messageOf } from '@/api/api-error.ts'
import { formatMoney } from '@/format/money.ts'
import { toast, toastFailure } from '@/toast.ts'
import { Button } from '@/ui/button.tsx'
import { withdrawPayout } from './payout-queries.ts'

/** Takes a request back that waits for a verdict. */
export function WithdrawPayout({ payout: { id, amount } }: { readonly payout: ListedPayout }) {
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
