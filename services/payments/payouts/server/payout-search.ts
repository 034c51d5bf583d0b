import type { Query } from '#infra/read-model-store/read-model-store.ts'
import { payoutId } from '#services/framework/ids.ts'
import { payouts } from '#services/trading/accounts/payout-read-model.ts'
import { users } from '#services/trading/accounts/user-read-model.ts'
import type { ReadModels } from '#services/event-sourcing/read-models/read-model-reader.ts'

/** At most this many matching users, and this many payouts that match by id: beyond that the search is too broad. */
const MAX_MATCHES = 500

interface PayoutSearch {
  /** What finds its payouts. */
  readonly query: Pick<Query, 'where' | 'search'>
  /** False where more match than are looked at: then only the newest count. */
  readonly isComplete: boolean
}

/**
 * A search for payouts by their id, or by their user's name, email or broker login, as one query. Projections cannot
 * read each other, so it finds the users, whose payouts the query then asks for. A payout's id begins with its user's
 * id, so users whose id contains the text are among them. Only where no user matches by name are the numbers of payouts
 * searched, too.
 */
export async function searchPayouts(
  readModels: ReadModels,
  search: string,
  where: NonNullable<Query['where']>,
): Promise<PayoutSearch> {
  const text = search.toLowerCase()
  const byId = { query: { where, search }, isComplete: true }
  if (payoutId.safeParse(text).success) return byId
  const isWanted = (id: string) => where['userId'] === undefined || where['userId'] === id
  const named = await readModels.find(users, { search, limit: MAX_MATCHES })
  const owners = new Set(named.documents.map(({ id }) => id).filter(isWanted))
  if (owners.size === 0) return byId
  const found = await readModels.find(payouts, { ...byId.query, limit: MAX_MATCHES })
  for (const { userId } of found.documents) if (userId.includes(text)) owners.add(userId)
  return {
    query: { where: { ...where, userId: [...owners].sort() } },
    isComplete: named.next === undefined && found.next === undefined,
  }
}
