import type { AdminPayout } from '#services/payments/payouts/payout-api.ts'

type Decidable = Pick<AdminPayout, 'id' | 'status'> & {
  readonly firstApproval: Pick<NonNullable<AdminPayout['firstApproval']>, 'member'> | null
}

/** Whether a payout waits for this member: not one that the member approved first, which waits for somebody else. */
export function waitsFor(member: string | undefined, { status, firstApproval }: Decidable): boolean {
  return status === 'pending' && (firstApproval === null || firstApproval.member !== member)
}

/**
 * The payout that a member decides after `decided`: the next one below it that waits for the member, else the first one
 * above; undefined without one.
 */
export function nextPending(
  payouts: readonly Decidable[],
  decided: string,
  member: string | undefined,
): string | undefined {
  const at = payouts.findIndex(({ id }) => id === decided)
  const inTurn = [...payouts.slice(at + 1), ...payouts.slice(0, Math.max(0, at))]
  return inTurn.find((payout) => waitsFor(member, payout) && payout.id !== decided)?.id
}
