import { forEachAtOnce } from '#infra/async.ts'
import type { AggregateRepository } from '#services/event-sourcing/aggregate-repository.ts'
import type { AccountState, AccountStreamEvent } from '#services/trading/stream/account-aggregate.ts'
import { type AccountId, accountOf, type PayoutId } from '#services/framework/ids.ts'
import type { Payout } from '#services/trading/stream/payout.ts'

/** How many accounts are worked on at once. */
export const AT_ONCE = 50

/** Works on many items: on those of one account in their order, on several accounts at once. */
export async function forEachAccount<Item extends { readonly payoutId: PayoutId }>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const groups = new Map<string, Item[]>()
  for (const item of items) {
    const account = accountOf(item.payoutId)
    groups.set(account, [...(groups.get(account) ?? []), item])
  }
  await forEachAtOnce(groups.values(), AT_ONCE, async (group) => {
    for (const item of group) await work(item)
  })
}

/** The accounts of payouts, as their streams have them now, by id. */
export async function loadAccounts(
  accounts: AggregateRepository<AccountState, AccountStreamEvent>,
  ids: readonly PayoutId[],
): Promise<ReadonlyMap<AccountId, AccountState>> {
  const found = new Map<AccountId, AccountState>()
  await forEachAtOnce(new Set(ids.map(accountOf)), AT_ONCE, async (id) => {
    found.set(id, (await accounts.load(id)).state)
  })
  return found
}

/** The payouts as the streams of their accounts have them now, without those that are unknown. */
export async function loadPayouts(
  accounts: AggregateRepository<AccountState, AccountStreamEvent>,
  ids: readonly PayoutId[],
): Promise<ReadonlyMap<PayoutId, Payout>> {
  const states = await loadAccounts(accounts, ids)
  return new Map(
    ids.flatMap((id) => {
      const payout = states.get(accountOf(id))?.payouts.list.get(id)
      return payout ? [[id, payout] as const] : []
    }),
  )
}
