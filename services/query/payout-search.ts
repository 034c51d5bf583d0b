import type { Query } from '../../infra/read-model-store/read-model-store.ts'
import { payoutId } from '../domain/ids.ts'
import { type PayoutDocument, payouts, users } from '../projections/index.ts'
import type { DocumentPage, ReadModels } from '../event-sourcing/projections/read-models.ts'
import { mergedPage } from './merged-page.ts'
import { countFound, type Total } from './list-total.ts'

/** Persons found by a search whose payouts are looked up by their ids; beyond that the search is too wide for it. */
const MAX_OWNERS = 500

type PayoutSearch = Query & { readonly search: string }

/**
 * Payouts whose id, or whose user's name, email or broker login, contains a text. No view looks into another, so the
 * two are joined here: the persons are found first, then their payouts, and these are merged with those found by their
 * own id. Where very many persons match, the newest of them count. A whole id is looked for as one.
 */
export async function findPayouts(views: ReadModels, { search, where = {}, sort, limit, cursor }: PayoutSearch): Promise<DocumentPage<PayoutDocument>> {
  const { owners } = await ownersOf(views, search, where)
  const order = sort && { sort }
  const find = (query: Pick<Query, 'where' | 'search'>) => (page: Pick<Query, 'limit' | 'cursor'>) => views.find(payouts, { ...query, ...order, ...page })
  const isOwned = ({ userId }: PayoutDocument) => owners.has(userId)
  return mergedPage<PayoutDocument>({
    sources: [
      { find: find({ where: { ...where, userId: [...owners] } }) },
      // Those of the persons found are in the other source already.
      { find: find({ where, search }), exclude: isOwned },
    ],
    isBefore: inOrder(sort),
    limit,
    cursor,
  })
}

/** How many {@link findPayouts} finds in all. */
export async function countFoundPayouts(views: ReadModels, { search, where = {}, limit }: Pick<PayoutSearch, 'where' | 'search' | 'limit'>): Promise<Total> {
  const { owners, all } = await ownersOf(views, search, where)
  const owned = { where: { ...where, userId: [...owners] } }
  const total = await countFound(limit, async (most) => {
    const [byPerson, byId, byBoth] = await Promise.all([
      views.count(payouts, owned, most),
      views.count(payouts, { where, search }, most),
      views.count(payouts, { ...owned, search }, most),
    ])
    // Both counts may have met the bound: then so does their sum, whatever they have in common.
    return byPerson >= most || byId >= most ? most : byPerson + byId - byBoth
  })
  return { ...total, exact: total.exact && all }
}

/** The persons that a search finds, and whether those are all. */
async function ownersOf(views: ReadModels, search: string, { userId }: NonNullable<Query['where']>) {
  if (payoutId.safeParse(search.toLowerCase()).success) return { owners: new Set<string>(), all: true }
  const { documents, next } = await views.find(users, { search, limit: MAX_OWNERS })
  const found = documents.map(({ id }) => id)
  return { owners: new Set(userId === undefined ? found : found.filter((id) => id === userId)), all: next === undefined }
}

/** Whether a payout comes before another in the order asked for; newest first without one. */
function inOrder(sort: Query['sort']) {
  const direction = sort?.direction ?? -1
  const valueOf = ({ amount, status, createdAt }: PayoutDocument) => (sort?.by === 'amount' ? amount : sort?.by === 'status' ? status : createdAt)
  return (one: PayoutDocument, other: PayoutDocument): boolean => {
    const [a, b] = [valueOf(one), valueOf(other)]
    return direction === 1 ? a < b : a > b
  }
}
