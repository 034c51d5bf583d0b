import type { ReactNode } from 'react'
import type { PayoutSummary } from '#services/payments/payouts/payout-api.ts'
import { formatDate } from '@/format/dates.ts'
import { centsOf, formatMoney } from '@/format/money.ts'
import { FigureList } from '@/ui/card.tsx'
import { FailedFigures, Skeleton } from '@/ui/states.tsx'
import { ProfitLoss } from '@/ui/text.tsx'

/** The sums behind a payout request, as the server says them: the profit, earlier open requests, what
 * is owed and what was paid. */

/**
 * Says when an amount is above the profit, alone or together with the open requests; undefined when it is not. Such a
 * request may still be sent: an administrator decides.
 */
export function profitWarning(
  amount: string,
  { profitLoss, open, covered }: Pick<PayoutSummary, 'profitLoss' | 'open' | 'covered'>,
): string | undefined {
  const request = centsOf(amount)
  if (request <= 0 || request <= centsOf(covered)) return undefined
  const then = 'You can still send this request; an administrator decides.'
  if (centsOf(profitLoss) <= 0) return `Your account has no profit now. ${then}`
  if (request > centsOf(profitLoss)) return `This is above your profit of ${formatMoney(profitLoss)}. ${then}`
  if (open.count === 0) return `Earlier payouts leave ${formatMoney(covered)} of your profit. ${then}`
  return `Your open requests of ${formatMoney(open.total)} leave ${formatMoney(covered)} of your profit. ${then}`
}

interface ProfitAndRequestsProps {
  /** Undefined while loading. */
  readonly summary: PayoutSummary | undefined
  readonly failed: boolean
  readonly onRetry: () => unknown
}

/** The figures above the request form. */
export function ProfitAndRequests({ summary, failed, onRetry }: ProfitAndRequestsProps) {
  const figure = (value: (known: PayoutSummary) => ReactNode) =>
    summary ? value(summary) : failed ? 'Could not be loaded' : <Skeleton className="h-[1lh] w-24" />
  return (
    <div className="mb-5 border-b border-line pb-4">
      <FigureList
        items={[
          { name: 'Profit now', value: figure(({ profitLoss }) => <ProfitLoss amount={profitLoss} />) },
          {
            name: 'Open requests',
            value: figure(({ open }) => (open.count === 0 ? 'None' : `${open.count}, ${formatMoney(open.total)}`)),
          },
          {
            name: 'Approved, to be paid',
            value: figure(({ toBePaid }) =>
              toBePaid.count === 0 ? 'None' : `${toBePaid.count}, ${formatMoney(toBePaid.total)}`,
            ),
          },
          {
            name: 'Paid so far',
            value: figure(({ paid, lastPaid }) =>
              lastPaid ? (
                <>
                  {formatMoney(paid.total)} in {paid.count}; last {formatMoney(lastPaid.amount)} on{' '}
                  <span className="whitespace-nowrap">{formatDate(lastPaid.paidAt, 'day')}</span>
                </>
              ) : (
                'None'
              ),
            ),
          },
          { name: 'Profit left', value: figure(({ covered }) => formatMoney(covered)) },
        ]}
      />
      {failed && !summary && <FailedFigures onRetry={onRetry}>These figures are missing.</FailedFigures>}
    </div>
  )
}
