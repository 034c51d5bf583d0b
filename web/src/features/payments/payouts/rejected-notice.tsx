import type { ListedPayout } from '#services/payments/payouts/payout-api.ts'
import { formatDate } from '@/format/dates.ts'
import { formatMoney } from '@/format/money.ts'

/** Says first on the page that the newest request was rejected, and why. */
export function RejectedNotice({ payouts }: { readonly payouts: readonly ListedPayout[] | undefined }) {
  const [newest] = payouts ?? []
  if (newest?.status !== 'rejected') return null
  return (
    <section aria-label="Your last request" className="mb-4 rounded-lg border border-bad/40 bg-bad-soft px-5 py-4">
      <p className="font-semibold text-bad">
        Your request of {formatDate(newest.createdAt, 'words')} for {formatMoney(newest.amount)} was rejected
      </p>
      <p className="mt-1 whitespace-pre-wrap break-words">
        {newest.adminNotes?.trim() ? newest.adminNotes : 'The administrator left no notes. Please contact support.'}
      </p>
    </section>
  )
}
