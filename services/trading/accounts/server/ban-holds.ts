import type { Repositories } from '#services/event-sourcing/aggregate-repository.ts'
import type { Context } from '#services/event-sourcing/codec/metadata.ts'
import type { Position } from '#infra/event-store/event-store.ts'
import { accountStreams, type AccountState } from '#services/trading/stream/account-aggregate.ts'
import type { UserId } from '#services/framework/ids.ts'
import { userStreams } from '#services/identity/users/user.ts'
import { HELD_BY_BAN, holdAllPayouts } from '#services/trading/stream/payout.ts'

/**
 * Puts the payouts of a user on hold who was banned at a moment, in ms. May be repeated: what staff released since stays
 * released.
 *
 * @returns the position that it reached in the log, if it appended something.
 */
export async function holdBanned(
  id: UserId,
  at: number,
  context: Context,
  repositories: Repositories,
): Promise<Position | undefined> {
  let reached: Position | undefined
  for (const account of (await repositories.of(userStreams).load(id)).state.accounts) {
    const hold = ({ payouts }: AccountState) => holdAllPayouts(payouts, HELD_BY_BAN, at)
    const { events, position } = await repositories.of(accountStreams).decide(account, context, hold)
    if (events.length > 0) reached = position
  }
  return reached
}

/**
 * Takes a decision that may end the holds of a breach: those of a trader who is banned become holds of the ban. A ban
 * that comes meanwhile finds these payouts on hold already, and is applied once more.
 */
export async function withHoldsOfBan<Result extends { readonly position: Position }>(
  owner: UserId,
  context: Context,
  repositories: Repositories,
  decide: (isBanned: boolean) => Promise<Result>,
): Promise<Result> {
  const isBannedNow = async () => (await repositories.of(userStreams).load(owner)).state.ban !== null
  const isBanned = await isBannedNow()
  const result = await decide(isBanned)
  if (isBanned || !(await isBannedNow())) return result
  const position = await holdBanned(owner, Infinity, context, repositories)
  return position === undefined ? result : { ...result, position }
}
