import type { ListedPayout } from '#services/modules/payouts/payout-api.ts'
import { formatDate } from '@/format/dates.ts'
import { centsOf, formatCents, formatMoney } from '@/format/money.ts'
import { FigureList } from '@/ui/card.tsx'
import { ProfitLoss } from '@/ui/text.tsx'

/** The sums behind a payout request: the profit, earlier open requests, and earlier payouts. */

/** The sum in cents of the requests that wait for a decision. */
export function openRequests(payouts: readonly ListedPayout[]): { readonly count: number; readonly cents: number } {
  return sumOf(payouts.filter(({ status }) => status === 'pending'))
}

function sumOf(payouts: readonly ListedPayout[]) {
  return { count: payouts.length, cents: payouts.reduce((sum, { amount }) => sum + centsOf(amount), 0) }
}

/**
 * Says when an amount is above the profit, alone or together with the open requests; undefined when it is not. Such a
 * request may still be sent: an administrator decides.
 */
export function profitWarning(amount: string, profitLoss: string, openCents: number): string | undefined {
  const [asked, profit] = [centsOf(amount), Math.max(0, centsOf(profitLoss))]
  if (asked <= 0) return undefined
  const then = 'You can still send this request; an administrator decides.'
  if (profit === 0) return `Your account has no profit now. ${then}`
  if (asked > profit)
    return `This is ${formatCents(asked - profit)} above your profit of ${formatCents(profit)}. ${then}`
  if (asked + openCents > profit)
    return `Together with your open requests of ${formatCents(openCents)} this is ${formatCents(asked + openCents - profit)} above your profit of ${formatCents(profit)}. ${then}`
  return undefined
}

interface ProfitAndRequestsProps {
  readonly profitLoss: string
  /** Undefined while loading. */
  readonly payouts: readonly ListedPayout[] | undefined
}

/** The figures above the request form. */
export function ProfitAndRequests({ profitLoss, payouts }: ProfitAndRequestsProps) {
  const open = openRequests(payouts ?? [])
  const approved = (payouts ?? []).filter(({ status }) => status === 'approved')
  const paid = sumOf(approved)
  const [last] = approved.toSorted((one, other) => Date.parse(other.decidedAt ?? '') - Date.parse(one.decidedAt ?? ''))
  return (
    <FigureList
      className="mb-5 border-b border-line pb-4"
      items={[
        { name: 'Profit now', value: <ProfitLoss amount={profitLoss} /> },
        { name: 'Open requests', value: open.count === 0 ? 'None' : `${open.count}, ${formatCents(open.cents)}` },
        {
          name: 'Paid so far',
          value: last ? (
            <>
              {formatCents(paid.cents)} in {paid.count}; last {formatMoney(last.amount)} on{' '}
              <span className="whitespace-nowrap">{formatDate(last.decidedAt, 'day')}</span>
            </>
          ) : (
            'None'
          ),
        },
      ]}
    />
  )
}
