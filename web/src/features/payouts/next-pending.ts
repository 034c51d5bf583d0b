/**
 * The payout to decide after `decided`: the next pending one below it, else the first one above; undefined without one.
 */
export function nextPending(
  payouts: readonly { readonly id: string; readonly status: string }[],
  decided: string,
): string | undefined {
  const at = payouts.findIndex(({ id }) => id === decided)
  const inTurn = [...payouts.slice(at + 1), ...payouts.slice(0, Math.max(0, at))]
  return inTurn.find(({ id, status }) => status === 'pending' && id !== decided)?.id
}
