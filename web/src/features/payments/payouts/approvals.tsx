import type { FirstApproval, FirstForfeit } from '#services/payments/payouts/payout-api.ts'
import { Badge } from '@/ui/badge.tsx'
import { DecisionStamp } from '@/ui/text.tsx'
import { useMember } from '@/features/frame/access.tsx'

/** The tag of a payout that one of two members has approved. */
export function ApprovalCount({ firstApproval }: { readonly firstApproval: FirstApproval | null }) {
  return firstApproval && <Badge tone="review">1 of 2</Badge>
}

/** That two approvals are needed, who gave the first, and what is missing. */
export function ApprovalText({
  of,
  firstApproval,
  isOwn,
}: {
  readonly of: string
  readonly firstApproval: FirstApproval | null
  readonly isOwn: boolean
}) {
  if (!firstApproval)
    return <span className="text-13">Two members of staff have to approve this payout. None has yet.</span>
  return (
    <span className="flex flex-col gap-1">
      <span className="inline-flex flex-wrap items-center gap-2">
        <ApprovalCount firstApproval={firstApproval} />
        <DecisionStamp of={of} stamp={firstApproval} />
      </span>
      <span className="text-13">
        {isOwn
          ? 'You gave the first approval. Another member of staff has to give the second.'
          : `${firstApproval.name ?? 'A member of staff'} gave the first approval. Yours would be the second, and final.`}
      </span>
    </span>
  )
}

/** That one of two members forfeited it, and what is missing. */
export function ForfeitText({
  of,
  firstForfeit,
  isOwn,
}: {
  readonly of: string
  readonly firstForfeit: FirstForfeit
  readonly isOwn: boolean
}) {
  return (
    <span className="flex flex-col gap-1">
      <span className="inline-flex flex-wrap items-center gap-2">
        <Badge tone="review">1 of 2</Badge>
        <DecisionStamp of={of} stamp={firstForfeit} />
      </span>
      <span className="text-13">
        {isOwn
          ? 'You were the first to forfeit it. Another member of staff has to do it too.'
          : `${firstForfeit.name ?? 'A member of staff'} was the first to forfeit it. Yours would be the second, and final.`}
      </span>
    </span>
  )
}

/** Whether the second approval of a payout has to be another member's. */
export function useIsFirstApprover(firstApproval: FirstApproval | null | undefined): boolean {
  const member = useMember()
  return firstApproval ? firstApproval.member === member?.id : false
}
