import type { AdminPayout } from '#services/payments/payouts/payout-api.ts'
import { fullDestination } from '#services/trading/stream/destination-vocabulary.ts'
import { Badge } from '@/ui/badge.tsx'
import { CopyButton } from '@/ui/copy-button.tsx'

/** Where the money of a payout goes: short, with a button that copies all of it; or the trader's words. */
export function DestinationText({
  payout: { destination, paymentDetails, destinationChanges },
}: {
  readonly payout: Pick<AdminPayout, 'destination' | 'paymentDetails' | 'destinationChanges'>
}) {
  const before = destinationChanges.at(-1)?.from
  if (paymentDetails === '') return <>None given</>
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2 gap-y-1">
      <span className="whitespace-pre-line [overflow-wrap:anywhere]">{paymentDetails}</span>
      {destination ? (
        <CopyButton text={fullDestination(destination)} label="Copy the destination in full" />
      ) : (
        <Badge>Not checked</Badge>
      )}
      {before !== undefined && (
        <span className="basis-full text-13 text-muted [overflow-wrap:anywhere]">Before: {before || 'none given'}</span>
      )}
    </span>
  )
}
