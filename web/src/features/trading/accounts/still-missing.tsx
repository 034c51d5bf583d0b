import { clsx } from 'clsx'
import type { OwnAvailablePayout } from '#services/trading/accounts/available-payout-api.ts'
import { hasToWait, needInWords, needsWorthSaying, whyNotNow } from './payout-words.ts'

/** The needs of a payout in numbers, for traders and for staff. */
export function PayoutNeeds({ needs }: Pick<OwnAvailablePayout, 'needs'>) {
  return (
    <ul aria-label="Still missing" className="flex list-disc flex-col gap-1 pl-5">
      {needsWorthSaying(needs).map((need, index) => (
        <li key={index}>{needInWords(need)}.</li>
      ))}
    </ul>
  )
}

interface NothingNowProps {
  readonly payout: OwnAvailablePayout
  readonly className?: string
}

/** Says to a trader why no request is possible now; nothing where one is. */
export function NothingNow({ payout, className }: NothingNowProps) {
  const why = whyNotNow(payout)
  if (why === undefined) return null
  return (
    <div role="status" className={clsx('flex flex-col gap-2', className)}>
      <p className="font-medium">{why}</p>
      {!hasToWait(payout) && <PayoutNeeds needs={payout.needs} />}
    </div>
  )
}
