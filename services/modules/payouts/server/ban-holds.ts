import type { Repositories } from '#services/event-sourcing/aggregate-repository.ts'
import type { Context } from '#services/event-sourcing/codec/metadata.ts'
import type { Position } from '#infra/event-store/event-store.ts'
import { accounts, type AccountState } from '#services/modules/account-aggregate.ts'
import type { UserId } from '#services/modules/ids.ts'
import { users } from '#services/modules/users/user.ts'
import { HELD_BY_BAN, holdAllPayouts } from '../payout.ts'

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
  for (const account of (await repositories.of(users).load(id)).state.accounts) {
    const hold = ({ payouts }: AccountState) => holdAllPayouts(payouts, HELD_BY_BAN, at)
    const { events, position } = await repositories.of(accounts).decide(account, context, hold)
    if (events.length > 0) reached = position
  }
  return reached
}
