import type { Repositories } from '#services/event-sourcing/aggregate-repository.ts'
import { type AccountState, accountStreams } from '#services/trading/stream/account-aggregate.ts'
import { type AccountId, accountId, ownerOf, type UserId } from '#services/framework/ids.ts'
import { assertUserExists, type User, userStreams } from '#services/identity/users/user.ts'
import { accountNotFound } from '#services/trading/stream/account.ts'
import { currentAccount } from '../current-account.ts'

interface AccountOfUserOptions {
  readonly user?: User
  readonly isMeant?: (state: AccountState) => boolean
}

/**
 * The account of a user that a command is about: the one it names, which the command's decision checks, else the
 * current one, as the log has them now.
 *
 * @param options `user` is the user's state, where it is loaded already. `isMeant` says of an account that it is meant
 * although it is not the current one: a repeated request is about the account of the first.
 * @throws {Refused} not-found, in the same words for another trader's account, for none, and for one of a deleted user.
 */
export async function accountOfUser(
  repositories: Repositories,
  owner: UserId,
  wanted: string | undefined,
  { user: loaded, isMeant = () => false }: AccountOfUserOptions = {},
): Promise<AccountId> {
  if (wanted !== undefined) {
    const { data } = accountId.safeParse(wanted)
    if (!data || ownerOf(data) !== owner) throw accountNotFound()
    return data
  }
  const user = loaded ?? (await repositories.of(userStreams).load(owner)).state
  assertUserExists(user)
  // The command's decision checks the only one as it checks one that is named.
  const [only, ...others] = user.accounts
  if (only && others.length === 0) return only
  const states = await Promise.all(
    user.accounts.map(async (id) => (await repositories.of(accountStreams).load(id)).state),
  )
  const existing = states.filter(({ account }) => account.id && !account.erased)
  const found = existing.find(isMeant)?.account ?? currentAccount(existing.map(({ account }) => account))
  if (!found?.id) throw accountNotFound()
  return found.id
}
