import type { OwnAccount } from '#services/trading/accounts/account-api.ts'
import { formatMoney } from '@/format/money.ts'
import { FigureList } from '@/ui/card.tsx'
import { nextDayInWords, whyNotNow } from '@/features/trading/accounts/payout-words.ts'
import { receivesOfAvailable } from '@/features/trading/accounts/payout-words.ts'

type Terms = NonNullable<OwnAccount['payout']>

/** What the terms allow to be taken out now, as the server says it, and what is missing. */
export function AvailableByTerms({ payout }: { readonly payout: Terms }) {
  const { available, waiting, profit, terms, events } = payout
  const notNow = whyNotNow(payout)
  return (
    <div className="mb-5 border-b border-line pb-4">
      <FigureList
        items={[
          { name: 'Available now', value: formatMoney(available) },
          { name: 'You receive of it', value: receivesOfAvailable(payout) },
          { name: 'Profit', value: formatMoney(profit) },
          { name: 'Open requests', value: formatMoney(waiting) },
          { name: 'Next possible day', value: nextDayInWords(payout) },
        ]}
      />
      {notNow !== undefined && (
        <p role="status" className="mt-3 text-13 text-muted">
          {notNow}
        </p>
      )}
      <p className="mt-2 text-13 text-muted">
        By the terms “{terms.name}” (#{events.terms}), and your balance of #{events.balance}
        {events.payout !== null && `, after the payout of #${events.payout}`}.
      </p>
    </div>
  )
}
