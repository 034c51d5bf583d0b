import { clsx } from 'clsx'
import { TriangleAlert } from 'lucide-react'
import type { AdminPayout, PayoutAccount } from '#services/modules/payouts/payout-api.ts'
import { formatDate } from '@/format/dates.ts'
import { formatCents, formatLimit, formatMoney } from '@/format/money.ts'
import { AddressLink } from '@/ui/address-link.tsx'
import { AccountStatusBadge, PayoutStatusBadge } from '@/ui/badge.tsx'
import { DescriptionList } from '@/ui/card.tsx'
import { LoadingLines } from '@/ui/states.tsx'
import { ProfitLoss } from '@/ui/text.tsx'
import { centsOf } from '@/features/accounts/room-left.ts'
import { auditAddressOf } from '@/addresses.ts'
import { accountSize, paidBefore, timeSince } from './payout-warnings.ts'

/** What a verdict depends on, beside the request itself. */

/** How many of the user's other payouts are listed. */
const RECENT = 4

/** Reasons to look twice, in red; in a list of payouts without a frame. */
export function Warnings({
  warnings,
  inList = false,
}: {
  readonly warnings: readonly string[]
  readonly inList?: boolean
}) {
  if (warnings.length === 0) return null
  return (
    <ul
      aria-label="Warnings"
      className={clsx(
        'flex flex-col gap-1 text-13 text-bad',
        !inList && 'mb-4 rounded-md border border-bad/40 bg-bad-soft px-4 py-3',
      )}
    >
      {warnings.map((warning) => (
        <li key={warning} className="flex gap-2">
          <TriangleAlert size={14} aria-hidden className="mt-0.5 shrink-0" />
          <span className="min-w-0 break-words">{warning}</span>
        </li>
      ))}
    </ul>
  )
}

/** The account as it is now. */
export function AccountContext({ userId, account }: { readonly userId: string; readonly account: PayoutAccount }) {
  return (
    <section>
      <h3 className="mb-2 flex flex-wrap items-baseline justify-between gap-x-3 text-14 font-semibold">
        The account now
        <AddressLink look="accent" className="text-13" href={auditAddressOf(userId)}>
          Open its history
        </AddressLink>
      </h3>
      <DescriptionList
        items={[
          { name: 'Account size', value: formatCents(accountSize(account)) },
          { name: 'Balance', value: formatMoney(account.balance) },
          { name: 'Profit/Loss', value: <ProfitLoss amount={account.profitLoss} /> },
          { name: 'Phase', value: account.phase ?? 'Not set' },
          { name: 'Status', value: <AccountStatusBadge status={account.status} /> },
          { name: 'Daily Drawdown Limit', value: formatLimit(account.dailyDrawdownLimit) ?? 'Not set' },
          { name: 'Maximum Loss Limit', value: formatLimit(account.overallLossLimit) ?? 'Not set' },
        ]}
      />
    </section>
  )
}

interface FormerPayoutsProps {
  readonly payout: AdminPayout
  /** The user's payouts, the newest first; undefined while loading. */
  readonly ofUser: readonly AdminPayout[] | undefined
  readonly failed: boolean
  /** Ms since 1970. */
  readonly now: number
}

/** The user's other payouts: how much, when, and where the money went last. */
export function FormerPayouts({ payout, ofUser, failed, now }: FormerPayoutsProps) {
  const others = ofUser?.filter(({ id }) => id !== payout.id)
  return (
    <section>
      <h3 className="mb-2 text-14 font-semibold">Other payouts of this trader</h3>
      {failed ? (
        <p role="alert" className="text-13 text-bad">
          They could not be loaded. Close this dialog and open it again before you decide.
        </p>
      ) : others ? (
        <FormerList payout={payout} others={others} now={now} />
      ) : (
        <LoadingLines lines={2} />
      )}
    </section>
  )
}

function FormerList({
  payout,
  others,
  now,
}: {
  readonly payout: AdminPayout
  readonly others: readonly AdminPayout[]
  readonly now: number
}) {
  const paid = paidBefore(payout, others)
  const [last] = paid
  if (others.length === 0) return <p className="text-13 text-muted">None. This is the first request.</p>
  return (
    <>
      <p className="mb-2 text-13">
        {last
          ? `${paid.length} paid, ${formatCents(paid.reduce((sum, { amount }) => sum + centsOf(amount), 0))} in all. The last one ${timeSince(last.decidedAt ?? last.createdAt, now)} ago.`
          : 'None was paid yet.'}
      </p>
      <ul className="flex flex-col gap-1 text-13">
        {others.slice(0, RECENT).map(({ id, amount, status, createdAt }) => (
          <li key={id} className="grid grid-cols-[6rem_1fr_auto] items-center gap-3">
            <span className="text-muted">{formatDate(createdAt, 'day')}</span>
            <span>{formatMoney(amount)}</span>
            <PayoutStatusBadge status={status} />
          </li>
        ))}
      </ul>
      {others.length > RECENT && <p className="mt-1 text-12 text-muted">And {others.length - RECENT} earlier ones.</p>}
      {last && !payoutGoesWhere(payout, last) && (
        <p className="mt-2 text-13 break-words whitespace-pre-line">
          <span className="text-muted">The last payout went to: </span>
          {last.paymentDetails || 'no details given'}
        </p>
      )}
    </>
  )
}

function payoutGoesWhere(one: AdminPayout, other: AdminPayout): boolean {
  return one.paymentMethod === other.paymentMethod && one.paymentDetails === other.paymentDetails
}
