import type { PayoutContext } from '#services/payments/payouts/payout-api.ts'
import { formatMoney } from '@/format/money.ts'
import { DescriptionList } from '@/ui/card.tsx'

type Effect = NonNullable<PayoutContext['effect']>

/** What an approval does, as the server reckons it now. */
export function ApprovalEffect({ effect }: { readonly effect: Effect }) {
  const { deducts, balance, profit, available, floor, traderReceives, firmKeeps, waiting } = effect
  return (
    <section>
      <h3 className="mb-2 text-14 font-semibold">What an approval does</h3>
      <DescriptionList
        items={[
          ...(available === null ? [] : [{ name: 'Available by the terms', value: formatMoney(available) }]),
          { name: 'Trader receives', value: formatMoney(traderReceives) },
          { name: 'Firm keeps', value: formatMoney(firmKeeps) },
          {
            name: 'Balance',
            value:
              deducts === 'not-covered' ? `${formatMoney(balance.before)}, not enough to deduct it` : change(balance),
          },
          { name: available === null ? 'Profit not approved yet' : 'Profit by the terms', value: change(profit) },
          ...(floor ? [{ name: 'Maximum loss floor', value: change(floor) }] : []),
          {
            name: 'Other open requests',
            value: waiting.count === 0 ? 'None' : `${waiting.count}, ${formatMoney(waiting.total)}`,
          },
        ]}
      />
    </section>
  )
}

function change({ before, after }: Effect['balance']): string {
  return before === after ? formatMoney(before) : `${formatMoney(before)} to ${formatMoney(after)}`
}
