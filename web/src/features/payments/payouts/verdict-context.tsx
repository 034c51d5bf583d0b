import { clsx } from 'clsx'
import { TriangleAlert } from 'lucide-react'
import type { Standing } from '#services/trading/accounts/standing-api.ts'
import type { AdminPayout, PayoutAccount, PayoutContext } from '#services/payments/payouts/payout-api.ts'
import { formatDate, timeSince } from '@/format/dates.ts'
import { formatLimit, formatMoney } from '@/format/money.ts'
import { AddressLink } from '@/ui/address-link.tsx'
import { AccountStatusBadge, PayoutStatusBadge } from '@/ui/badge.tsx'
import { Button } from '@/ui/button.tsx'
import { DescriptionList } from '@/ui/card.tsx'
import { LoadingLines } from '@/ui/states.tsx'
import { ProfitLoss } from '@/ui/text.tsx'
import { useServerNow } from '@/features/trading/accounts/as-of.tsx'
import { standingItems } from '@/features/trading/accounts/standing-figures.tsx'
import { auditAddressOf } from '@/addresses.ts'

/** The context of a verdict, beside the request itself. */

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

/** Says that warnings and standing are not known. */
export function ContextFailed({ onRetry }: { readonly onRetry: () => void }) {
  return (
    <div role="alert" className="mb-4 flex flex-wrap items-center justify-between gap-3 text-13 text-bad">
      <p>The account and the other payouts could not be checked. Try again before you decide.</p>
      <Button look="secondary" onClick={onRetry}>
        Try again
      </Button>
    </div>
  )
}

interface AccountContextProps {
  readonly userId: string
  readonly account: PayoutAccount
  /** Where it stands; undefined while loading. */
  readonly standing: Standing | undefined | null
}

/** The account as it is now. */
export function AccountContext({ userId, account, standing }: AccountContextProps) {
  const now = useServerNow()
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
          ...(standing?.began
            ? [
                {
                  // Without a programme nobody agreed on a size: it is what the first typed balance says.
                  name: standing.programme ? 'Account size' : 'Phase began with',
                  value: formatMoney(standing.began.balance),
                },
              ]
            : []),
          { name: 'Balance', value: formatMoney(account.balance) },
          { name: 'Profit/Loss', value: <ProfitLoss amount={account.profitLoss} /> },
          { name: 'Phase', value: account.phase ?? 'Not set' },
          { name: 'Status', value: <AccountStatusBadge status={account.status} /> },
          {
            name: standing?.programme ? 'Daily Loss Limit' : 'Daily Drawdown Limit',
            value: formatLimit(account.dailyDrawdownLimit) ?? 'Not set',
          },
          { name: 'Maximum Loss Limit', value: formatLimit(account.overallLossLimit) ?? 'Not set' },
          ...(standing ? standingItems(standing, userId, account, now) : []),
        ]}
      />
      {standing === undefined && <LoadingLines label="Loading the room left" lines={3} className="mt-2" />}
    </section>
  )
}

interface FormerPayoutsProps {
  readonly payout: AdminPayout
  /** The trader's other payouts; undefined while loading. */
  readonly others: PayoutContext['others'] | undefined
  /** Ms since 1970. */
  readonly now: number
}

/** The trader's other payouts: how much, when, and where the money went last. */
export function FormerPayouts({ payout, others, now }: FormerPayoutsProps) {
  return (
    <section>
      <h3 className="mb-2 text-14 font-semibold">Other payouts of this trader</h3>
      {others ? <FormerList payout={payout} others={others} now={now} /> : <LoadingLines lines={2} />}
    </section>
  )
}

function FormerList({
  payout,
  others: { count, recent, approved, lastApproved },
  now,
}: FormerPayoutsProps & { readonly others: PayoutContext['others'] }) {
  if (count === 0) return <p className="text-13 text-muted">None. This is the first request.</p>
  return (
    <>
      <p className="mb-2 text-13">
        {lastApproved
          ? `${approved.count} approved, ${formatMoney(approved.total)} in all. The last one ${timeSince(lastApproved.decidedAt ?? lastApproved.createdAt, now)} ago.`
          : 'None was approved yet.'}
      </p>
      <ul className="flex flex-col gap-1 text-13">
        {recent.map(({ id, amount, status, createdAt }) => (
          <li key={id} className="grid grid-cols-[6rem_1fr_auto] items-center gap-3">
            <span className="text-muted">{formatDate(createdAt, 'day')}</span>
            <span>{formatMoney(amount)}</span>
            <PayoutStatusBadge status={status} />
          </li>
        ))}
      </ul>
      {count > recent.length && <p className="mt-1 text-12 text-muted">And {count - recent.length} earlier ones.</p>}
      {lastApproved && !payoutGoesWhere(payout, lastApproved) && (
        <p className="mt-2 text-13 break-words whitespace-pre-line">
          <span className="text-muted">The last approved one went to: </span>
          {lastApproved.paymentDetails || 'no details given'}
        </p>
      )}
    </>
  )
}

function payoutGoesWhere(one: AdminPayout, other: AdminPayout): boolean {
  return one.paymentMethod === other.paymentMethod && one.paymentDetails === other.paymentDetails
}
