import { createHash } from 'node:crypto'
import type { Repositories } from '#services/event-sourcing/aggregate-repository.ts'
import { accountOf, ownerOf, type PayoutId } from '#services/framework/ids.ts'
import type { ReportForgedRow } from '#services/process/forged-rows.ts'
import { toDecimal } from '#services/rules/money.ts'
import { assertSaid, nameSaid, type Said } from '#services/trading/accounts/server/seen-in-log.ts'
import { accountStreams } from '#services/trading/stream/account-aggregate.ts'
import type { Whereabouts } from '#services/trading/stream/payout-destination.ts'
import { payoutAnswer } from '#services/trading/stream/payout-fields.ts'
import type { Payout, SeenPayout } from '../payout-api.ts'

/** SHA-256 of where a payout goes, as pages show it, in lower-case hex. */
export function destinationDigest({
  paymentMethod,
  paymentDetails,
  destination,
}: Pick<Payout, 'paymentMethod' | 'paymentDetails' | 'destination'>): string {
  return createHash('sha256')
    .update(JSON.stringify([paymentMethod, paymentDetails, destination && Object.entries(destination).toSorted()]))
    .digest('hex')
}

/**
 * Refuses a decision on a payout that the page showed otherwise than the log has it: its amount, where it goes, or its
 * trader's name. An unknown payout is left to the decision.
 *
 * @throws {Refused} conflict
 */
export async function assertSeenPayout(
  repositories: Repositories,
  id: PayoutId,
  seen: SeenPayout,
  report: ReportForgedRow,
): Promise<void> {
  const account = accountOf(id)
  const payout = (await repositories.of(accountStreams).load(account)).state.payouts.list.get(id)
  if (!payout) return
  const isSeen = (whereabouts: Whereabouts) =>
    seen.destination === destinationDigest(payoutAnswer({ ...payout, ...whereabouts }))
  const destination: Said = isSeen(payout) ? 'now' : payout.former.some(isSeen) ? 'before' : 'never'
  // The amount never changes.
  const said = seen.amount === toDecimal(payout.amount) ? destination : 'never'
  assertSaid([said, await nameSaid(repositories, ownerOf(account), seen.name)], `payouts ${id}`, report)
}
