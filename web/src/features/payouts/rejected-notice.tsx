import type { ListedPayout } from '../../../../services/api/payout-schemas.ts'
import { formatDate } from '../../format/dates.ts'
import { formatMoney } from '../../format/money.ts'

/** When the newest request was rejected: that, and why, before anything else. */
export function RejectedNotice({ payouts }: { readonly payouts: readonly ListedPayout[] | undefined }) {
  const [newest] = payouts ?? []
  if (newest?.status !== 'rejected') return null
  return (
    <section aria-label="Your last request" className="mb-4 rounded-lg border border-bad/40 bg-bad-soft px-5 py-4">
      <p className="font-semibold text-bad">
        Your request of {formatDate(newest.createdAt, 'words')} for {formatMoney(newest.amount)} was rejected
      </p>
      <p className="mt-1 whitespace-pre-wrap break-words">{newest.adminNotes?.trim() ? newest.adminNotes : 'No notes were given. Please contact support.'}</p>
    </section>
  )
}
